#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "disk.h"

// SQLite's side of the simulated disks: https://www.sqlite.org/vfs.html, https://www.sqlite.org/c3ref/io_methods.html

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sqlite3_vfs *system_vfs;
static char *marker;

/// An open file.
typedef struct {
    sqlite3_file base;
    Node *node;
    Sharing *sharing;
    long generation;
    int level, is_mapped, deletes, process;
    unsigned shared_mask, exclusive_mask;
} File;

static int is_simulated(const char *path) { return path && strstr(path, marker) != NULL; }

/// The number of the process for which this thread opens files, and the numbers of the killed processes.
static __thread int opening_process;
static unsigned char *killed;
static int killed_count;

static int is_killed(int process) { return process < killed_count && killed[process]; }
static int is_dead(File *file) {
    return file->generation != file->node->disk->generation || is_killed(file->process);
}

/// The result of an operation on a file; SQLITE_OK: it may continue.
static int strike(File *file, int on, int code) {
    return is_dead(file) ? code : disk_strike(file->node->disk, on, code);
}

#define FILE_OPERATION(...)                                                                                            \
    File *file = (File *)base;                                                                                         \
    pthread_mutex_lock(&lock);                                                                                         \
    int code = SQLITE_OK;                                                                                              \
    __VA_ARGS__                                                                                                        \
    pthread_mutex_unlock(&lock);                                                                                       \
    return code;

// Content

static int file_read(sqlite3_file *base, void *bytes, int length, sqlite3_int64 offset) {
    FILE_OPERATION({
        code = strike(file, SimulatedFaultRead, SQLITE_IOERR_READ);
        if (code == SQLITE_OK) {
            Content *content = &file->node->content;
            size_t there = (size_t)offset < content->size ? content->size - (size_t)offset : 0;
            size_t taken = there < (size_t)length ? there : (size_t)length;
            if (taken) memcpy(bytes, content->bytes + offset, taken);
            if (taken < (size_t)length) {
                memset((char *)bytes + taken, 0, (size_t)length - taken);
                code = SQLITE_IOERR_SHORT_READ;
            }
        }
    })
}

static int file_write(sqlite3_file *base, const void *bytes, int length, sqlite3_int64 offset) {
    FILE_OPERATION({
        code = strike(file, SimulatedFaultWrite, SQLITE_IOERR_WRITE);
        if (code == SQLITE_OK) node_write(file->node, bytes, (size_t)length, (size_t)offset);
    })
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
    FILE_OPERATION({
        code = strike(file, SimulatedFaultWrite, SQLITE_IOERR_TRUNCATE);
        if (code == SQLITE_OK) node_truncate(file->node, (size_t)size);
    })
}

static int file_sync(sqlite3_file *base, int flags) {
    (void)flags;
    FILE_OPERATION({
        code = strike(file, SimulatedFaultWrite, SQLITE_IOERR_FSYNC);
        if (code == SQLITE_OK) node_sync(file->node);
    })
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
    FILE_OPERATION({
        if (is_dead(file)) code = SQLITE_IOERR_FSTAT;
        *size = (sqlite3_int64)file->node->content.size;
    })
}

// Locks

static int file_lock(sqlite3_file *base, int level) {
    FILE_OPERATION({
        Sharing *sharing = file->sharing;
        if (is_dead(file)) {
            code = SQLITE_IOERR_LOCK;
        } else if (level <= file->level) {
            // It is held.
        } else if (level == SQLITE_LOCK_SHARED) {
            if (sharing->pending || sharing->exclusive) code = SQLITE_BUSY;
            else { sharing->shared++; file->level = level; }
        } else if (level == SQLITE_LOCK_RESERVED) {
            if (sharing->reserved) code = SQLITE_BUSY;
            else { sharing->reserved = 1; file->level = level; }
        } else {
            if (file->level < SQLITE_LOCK_RESERVED && sharing->reserved) code = SQLITE_BUSY;
            else if (file->level < SQLITE_LOCK_PENDING && sharing->pending) code = SQLITE_BUSY;
            else {
                sharing->reserved = 1;
                sharing->pending = 1;
                file->level = SQLITE_LOCK_PENDING;
                if (sharing->shared > 1) code = SQLITE_BUSY;
                else { sharing->exclusive = 1; file->level = SQLITE_LOCK_EXCLUSIVE; }
            }
        }
    })
}

static int file_unlock(sqlite3_file *base, int level) {
    FILE_OPERATION({
        Sharing *sharing = file->sharing;
        if (file->level >= SQLITE_LOCK_RESERVED) {
            sharing->reserved = 0;
            if (file->level >= SQLITE_LOCK_PENDING) sharing->pending = sharing->exclusive = 0;
        }
        if (level == SQLITE_LOCK_NONE && file->level >= SQLITE_LOCK_SHARED) sharing->shared--;
        if (level < file->level) file->level = level;
    })
}

static int file_check_reserved(sqlite3_file *base, int *result) {
    FILE_OPERATION({ *result = file->sharing->reserved; })
}

// The index of the write-ahead log

static int shm_map(sqlite3_file *base, int region, int size, int extend, void volatile **result) {
    FILE_OPERATION({
        Sharing *sharing = file->sharing;
        *result = NULL;
        if (is_dead(file)) code = SQLITE_IOERR_SHMMAP;
        else {
            if (!file->is_mapped) { file->is_mapped = 1; sharing->mappers++; }
            if (region >= sharing->region_count && extend) {
                sharing->region_size = size;
                sharing->regions = realloc(sharing->regions, (size_t)(region + 1) * sizeof(void *));
                while (sharing->region_count <= region) sharing->regions[sharing->region_count++] = calloc(1, (size_t)size);
            }
            if (region < sharing->region_count) *result = sharing->regions[region];
        }
    })
}

static int shm_lock(sqlite3_file *base, int offset, int count, int flags) {
    FILE_OPERATION({
        Sharing *sharing = file->sharing;
        if (is_dead(file) && (flags & SQLITE_SHM_LOCK)) code = SQLITE_IOERR_SHMLOCK;
        for (int i = offset; code == SQLITE_OK && i < offset + count; i++) {
            unsigned bit = 1u << i;
            if (flags & SQLITE_SHM_UNLOCK) {
                if (file->shared_mask & bit) sharing->shm_shared[i]--;
                if (file->exclusive_mask & bit) sharing->shm_exclusive[i] = 0;
                file->shared_mask &= ~bit;
                file->exclusive_mask &= ~bit;
            } else if (flags & SQLITE_SHM_SHARED) {
                if (file->shared_mask & bit) continue;
                if (sharing->shm_exclusive[i]) code = SQLITE_BUSY;
            } else {
                int mine = file->shared_mask & bit ? 1 : 0;
                if (sharing->shm_exclusive[i] || sharing->shm_shared[i] > mine) code = SQLITE_BUSY;
            }
        }
        for (int i = offset; code == SQLITE_OK && (flags & SQLITE_SHM_LOCK) && i < offset + count; i++) {
            unsigned bit = 1u << i;
            if (flags & SQLITE_SHM_SHARED) {
                if (!(file->shared_mask & bit)) sharing->shm_shared[i]++;
                file->shared_mask |= bit;
            } else {
                sharing->shm_exclusive[i] = 1;
                file->exclusive_mask |= bit;
            }
        }
    })
}

static void shm_barrier(sqlite3_file *base) {
    (void)base;
    __sync_synchronize();
}

static int shm_unmap(sqlite3_file *base, int deletes) {
    (void)deletes;
    FILE_OPERATION({
        if (file->is_mapped) {
            file->is_mapped = 0;
            // The next connection that opens the file builds the index again from the log.
            if (--file->sharing->mappers == 0) sharing_drop_regions(file->sharing);
        }
    })
}

// The rest of a file

static int file_close(sqlite3_file *base) {
    shm_unmap(base, 0);
    file_unlock(base, SQLITE_LOCK_NONE);
    FILE_OPERATION({
        Node *node = file->node;
        if (file->deletes && !node->is_unlinked) node_unlink(node);
        sharing_release(file->sharing);
        node_release(node);
    })
}

static int file_control(sqlite3_file *base, int operation, void *argument) {
    (void)base, (void)operation, (void)argument;
    return SQLITE_NOTFOUND;
}

static int file_sector_size(sqlite3_file *base) {
    (void)base;
    return 4096;
}

static int file_characteristics(sqlite3_file *base) {
    (void)base;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = shm_map,
    .xShmLock = shm_lock,
    .xShmBarrier = shm_barrier,
    .xShmUnmap = shm_unmap,
};

// Files by name

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *out_flags) {
    (void)vfs;
    if (!is_simulated(path)) return system_vfs->xOpen(system_vfs, path, base, flags, out_flags);
    base->pMethods = NULL;
    FILE_OPERATION({
        Node *node = node_found(path);
        if (!node && (flags & SQLITE_OPEN_CREATE)) node = node_made(path);
        if (!node) code = SQLITE_CANTOPEN;
        else {
            if (!node->sharing) {
                node->sharing = calloc(1, sizeof(Sharing));
                node->sharing->references = 1;
            }
            memset(file, 0, sizeof *file);
            file->node = node;
            file->sharing = node->sharing;
            file->generation = node->disk->generation;
            file->process = opening_process;
            file->deletes = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
            file->base.pMethods = &methods;
            node->references++;
            node->sharing->references++;
            if (out_flags) *out_flags = flags;
        }
    })
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int syncs) {
    (void)vfs;
    if (!is_simulated(path)) return system_vfs->xDelete(system_vfs, path, syncs);
    pthread_mutex_lock(&lock);
    Node *node = node_found(path);
    int code = node ? disk_strike(node->disk, SimulatedFaultWrite, SQLITE_IOERR_DELETE) : SQLITE_IOERR_DELETE_NOENT;
    if (code == SQLITE_OK) node_unlink(node);
    pthread_mutex_unlock(&lock);
    return code;
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    (void)vfs;
    if (!is_simulated(path)) return system_vfs->xAccess(system_vfs, path, flags, result);
    pthread_mutex_lock(&lock);
    Node *node = node_found(path);
    // As in SQLite's own VFS, an empty file counts as missing.
    *result = node && (flags != SQLITE_ACCESS_EXISTS || node->content.size > 0);
    pthread_mutex_unlock(&lock);
    return SQLITE_OK;
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int size, char *result) {
    (void)vfs;
    if (!is_simulated(path)) return system_vfs->xFullPathname(system_vfs, path, size, result);
    size_t length = strlen(path);
    if (length >= (size_t)size) return SQLITE_CANTOPEN;
    memcpy(result, path, length + 1);
    return SQLITE_OK;
}

// The operations for SQLite

void simulated_disk_install(const char *text) {
    static sqlite3_vfs vfs;
    pthread_mutex_lock(&lock);
    if (!system_vfs) {
        system_vfs = sqlite3_vfs_find(NULL);
        marker = strdup(text);
        // Everything that isn't about files uses the system's VFS.
        vfs = *system_vfs;
        vfs.szOsFile = (int)sizeof(File) > system_vfs->szOsFile ? (int)sizeof(File) : system_vfs->szOsFile;
        vfs.zName = "simulated";
        vfs.pNext = NULL;
        vfs.xOpen = vfs_open;
        vfs.xDelete = vfs_delete;
        vfs.xAccess = vfs_access;
        vfs.xFullPathname = vfs_full_path;
        sqlite3_vfs_register(&vfs, 1);
    }
    pthread_mutex_unlock(&lock);
}

void simulated_disk_erase(const char *disk) {
    pthread_mutex_lock(&lock);
    disk_erase(disk_named(disk, strlen(disk)));
    pthread_mutex_unlock(&lock);
}

void simulated_disk_copy(const char *from, const char *to) {
    pthread_mutex_lock(&lock);
    disk_copy(disk_named(from, strlen(from)), disk_named(to, strlen(to)));
    pthread_mutex_unlock(&lock);
}

void simulated_disk_rewind(const char *from, const char *to) {
    pthread_mutex_lock(&lock);
    disk_rewind(disk_named(from, strlen(from)), disk_named(to, strlen(to)));
    pthread_mutex_unlock(&lock);
}

void simulated_disk_crash(const char *disk, int powerless, uint64_t luck) {
    pthread_mutex_lock(&lock);
    disk_crash(disk_named(disk, strlen(disk)), powerless, luck);
    pthread_mutex_unlock(&lock);
}

void simulated_disk_open_as(int process) { opening_process = process; }

void simulated_disk_kill(int process) {
    pthread_mutex_lock(&lock);
    if (process >= killed_count) {
        int count = process * 2 + 64;
        killed = realloc(killed, (size_t)count);
        memset(killed + killed_count, 0, (size_t)(count - killed_count));
        killed_count = count;
    }
    killed[process] = 1;
    pthread_mutex_unlock(&lock);
}

void simulated_disk_fail(const char *path, int fault, int after, int count, uint64_t luck) {
    pthread_mutex_lock(&lock);
    Disk *disk = disk_named(path, strlen(path));
    disk->fault = fault;
    disk->after = after;
    disk->count = count;
    disk->luck = luck;
    pthread_mutex_unlock(&lock);
}

int simulated_disk_was_cut(const char *path) {
    pthread_mutex_lock(&lock);
    Disk *disk = disk_named(path, strlen(path));
    int was_cut = disk->was_cut;
    disk->was_cut = 0;
    pthread_mutex_unlock(&lock);
    return was_cut;
}
