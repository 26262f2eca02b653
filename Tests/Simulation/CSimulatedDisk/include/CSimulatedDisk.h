#ifndef CSIMULATEDDISK_H
#define CSIMULATEDDISK_H

#include <stdint.h>

/// A disk in memory under SQLite, for the simulation: it can fail, fill up, and forget what was not synced.
///
/// An SQLite VFS that is put before the system's. Files whose path holds the marker live in memory; all others go to the
/// system's VFS, so that databases of other tests are not touched. A disk is a directory: what fails, fails there.
/// Safe from any thread; two disks have nothing in common but a lock.

// What goes wrong on a disk.
enum {
    /// Nothing.
    SimulatedFaultNone = 0,
    /// The power goes off in the middle of the operation: what was not synced may be gone, and nobody who had a file
    /// open gets anything from it ever again.
    SimulatedFaultPowerCut = 1,
    /// Writing fails (EIO).
    SimulatedFaultWrite = 2,
    /// The disk is full (ENOSPC).
    SimulatedFaultFull = 3,
    /// Reading fails (EIO).
    SimulatedFaultRead = 4,
};

/// Puts the VFS before the system's, once for the process; to be called before the first database is opened.
///
/// - `marker`: what the paths of simulated files hold.
void simulated_disk_install(const char *marker);

/// Forgets all files of a disk, and its faults. Who has one open gets only errors.
void simulated_disk_erase(const char *disk);

/// Makes the files of one disk the copies of another's. The files must not be in use there by anybody who goes on.
void simulated_disk_copy(const char *from, const char *to);

/// Makes the files of one disk the copies of another's under those who have them open, as if time went back: they see the
/// other content from their next transaction on. They must not be within one. Faults end.
void simulated_disk_rewind(const char *from, const char *to);

/// Whoever has files of the disk open gets only errors from now on, as if killed.
///
/// - `powerless`: whether what was not synced is gone, too; each write that was not synced is kept or lost by `luck`.
void simulated_disk_crash(const char *disk, int powerless, uint64_t luck);

/// Files that this thread opens from now on belong to a process with this number; 0: to none.
void simulated_disk_open_as(int process);

/// The files that this process has open give only errors from now on, as if it was killed; the others go on. It must not be
/// within a transaction. The number is not used again.
void simulated_disk_kill(int process);

/// From the operation number `after` on (0: the next), `count` operations fail in this way. `luck`: see above.
void simulated_disk_fail(const char *disk, int fault, int after, int count, uint64_t luck);

/// Whether the power went off by a fault since this was last asked.
int simulated_disk_was_cut(const char *disk);

#endif
