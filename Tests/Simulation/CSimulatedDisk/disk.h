#ifndef DISK_H
#define DISK_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "CSimulatedDisk.h"

// The files of the simulated disks. Everything here is called with the lock held.

/// A directory whose files fail together.
typedef struct Disk {
    char *path;
    /// Counts the crashes: files opened before the last one return only errors.
    long generation;
    int fault, after, count, was_cut;
    uint64_t luck;
    struct Disk *next;
} Disk;

/// What the connections to one file share since the last crash: SQLite's locks and the write-ahead log's index.
typedef struct Sharing {
    int references, mappers;
    int shared, reserved, pending, exclusive;
    int shm_shared[SQLITE_SHM_NLOCK], shm_exclusive[SQLITE_SHM_NLOCK];
    void **regions;
    int region_count, region_size;
} Sharing;

typedef struct {
    unsigned char *bytes;
    size_t size, capacity;
} Content;

/// Part of a file.
typedef struct {
    size_t offset, length;
} Piece;

/// A file: its contents for readers, its contents after a power cut, and the writes in between.
typedef struct Node {
    char *path;
    Disk *disk;
    Content content, synced;
    Piece *unsynced;
    size_t unsynced_count, unsynced_capacity;
    Sharing *sharing;
    int references, is_unlinked;
    struct Node *next;
} Node;

Disk *disk_named(const char *path, size_t length);
Disk *disk_of_file(const char *path);
void disk_erase(Disk *disk);
void disk_copy(Disk *from, Disk *to);
void disk_rewind(Disk *from, Disk *to);
void disk_crash(Disk *disk, int powerless, uint64_t luck);
/// The result of an operation: SQLITE_OK, or its error.
int disk_strike(Disk *disk, int on, int code);

Node *node_found(const char *path);
Node *node_made(const char *path);
void node_unlink(Node *node);
void node_release(Node *node);
void node_write(Node *node, const void *bytes, size_t length, size_t offset);
void node_truncate(Node *node, size_t size);
void node_sync(Node *node);

void sharing_release(Sharing *sharing);
void sharing_drop_regions(Sharing *sharing);

#endif
