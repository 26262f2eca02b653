#ifndef CSIMULATEDDISK_H
#define CSIMULATEDDISK_H

#include <stdint.h>

/// A disk in memory under SQLite, for the simulation: it can fail, fill up, and lose unsynced data.
///
/// An SQLite VFS in front of the system's. Files whose path contains the marker are in memory; all others use the
/// system's VFS, so that databases of other tests are not affected. A disk is a directory, whose files fail together.
/// Thread-safe; two disks share nothing but a lock.

// The faults of a disk.
enum {
    /// Nothing.
    SimulatedFaultNone = 0,
    /// The power is cut in the middle of the operation: unsynced data may be lost, and files that are open return only
    /// errors.
    SimulatedFaultPowerCut = 1,
    /// Writing fails (EIO).
    SimulatedFaultWrite = 2,
    /// The disk is full (ENOSPC).
    SimulatedFaultFull = 3,
    /// Reading fails (EIO).
    SimulatedFaultRead = 4,
};

/// Installs the VFS in front of the system's, once for the process; to be called before the first database is opened.
///
/// - `marker`: what the paths of simulated files contain.
void simulated_disk_install(const char *marker);

/// Deletes all files of a disk, and its faults. Files that are open return only errors.
void simulated_disk_erase(const char *disk);

/// Makes the files of one disk copies of another's. Connections that have them open must not be used any more.
void simulated_disk_copy(const char *from, const char *to);

/// Makes the files of one disk copies of another's while they are open, as if time went back: connections see the other
/// content from their next transaction on. They must not be within one. Faults end.
void simulated_disk_rewind(const char *from, const char *to);

/// Files of the disk that are open return only errors from now on, as if their process was killed.
///
/// - `powerless`: whether unsynced data is lost, too; `luck` decides for each unsynced write.
void simulated_disk_crash(const char *disk, int powerless, uint64_t luck);

/// Files that this thread opens from now on belong to a process with this number; 0: to none.
void simulated_disk_open_as(int process);

/// The files that this process has open return only errors from now on, as if it was killed; other files are not
/// affected. It must not be within a transaction. The number is not used again.
void simulated_disk_kill(int process);

/// From the operation number `after` on (0: the next), `count` operations fail in this way. `luck`: see above.
void simulated_disk_fail(const char *disk, int fault, int after, int count, uint64_t luck);

/// Whether the power was cut by a fault since the last call.
int simulated_disk_was_cut(const char *disk);

#endif
