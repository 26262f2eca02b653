#include "disk.h"

#include <stdlib.h>
#include <string.h>

static Disk *disks;
static Node *nodes;

// Content

static void content_reserve(Content *content, size_t size) {
    if (size <= content->capacity) return;
    size_t capacity = content->capacity ? content->capacity : 4096;
    while (capacity < size) capacity *= 2;
    content->bytes = realloc(content->bytes, capacity);
    content->capacity = capacity;
}

static void content_write(Content *content, const void *bytes, size_t length, size_t offset) {
    content_reserve(content, offset + length);
    if (offset > content->size) memset(content->bytes + content->size, 0, offset - content->size);
    memcpy(content->bytes + offset, bytes, length);
    if (offset + length > content->size) content->size = offset + length;
}

// Disks

Disk *disk_named(const char *path, size_t length) {
    for (Disk *disk = disks; disk; disk = disk->next)
        if (strlen(disk->path) == length && memcmp(disk->path, path, length) == 0) return disk;
    Disk *disk = calloc(1, sizeof(Disk));
    disk->path = strndup(path, length);
    disk->next = disks;
    disks = disk;
    return disk;
}

Disk *disk_of_file(const char *path) {
    const char *slash = strrchr(path, '/');
    return disk_named(path, slash ? (size_t)(slash - path) : 0);
}

/// Files that are open return only errors from now on.
static void disk_disconnect(Disk *disk) {
    disk->generation++;
    for (Node *node = nodes; node; node = node->next) {
        if (node->disk != disk || !node->sharing) continue;
        sharing_release(node->sharing);
        node->sharing = NULL;
    }
}

void disk_erase(Disk *disk) {
    disk_disconnect(disk);
    disk->fault = SimulatedFaultNone;
    disk->was_cut = 0;
    for (Node *node = nodes, *next; node; node = next) {
        next = node->next;
        if (node->disk == disk) node_unlink(node);
    }
}

static void node_empty(Node *node) {
    node->content.size = node->synced.size = node->unsynced_count = 0;
    if (!node->sharing) return;
    // An index of zeros is invalid: the next transaction builds it again from the log.
    for (int i = 0; i < node->sharing->region_count; i++)
        memset(node->sharing->regions[i], 0, (size_t)node->sharing->region_size);
}

void disk_rewind(Disk *from, Disk *to) {
    to->fault = SimulatedFaultNone;
    to->was_cut = 0;
    for (Node *node = nodes; node; node = node->next)
        if (node->disk == to) node_empty(node);
    size_t prefix = strlen(from->path);
    for (Node *node = nodes; node; node = node->next) {
        if (node->disk != from) continue;
        char path[4096];
        size_t length = strlen(to->path), rest = strlen(node->path + prefix);
        if (length + rest >= sizeof path) continue;
        memcpy(path, to->path, length);
        memcpy(path + length, node->path + prefix, rest + 1);
        Node *copy = node_found(path);
        if (!copy) copy = node_made(path);
        content_write(&copy->content, node->content.bytes, node->content.size, 0);
        content_write(&copy->synced, node->content.bytes, node->content.size, 0);
    }
}

void disk_copy(Disk *from, Disk *to) {
    disk_erase(to);
    disk_rewind(from, to);
}

/// SplitMix64.
static uint64_t next_luck(uint64_t *state) {
    uint64_t mixed = *state += 0x9E3779B97F4A7C15;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
}

/// Restores the synced contents, with some of the later writes.
static void node_lose_power(Node *node, uint64_t *luck) {
    for (size_t i = 0; i < node->unsynced_count; i++) {
        Piece piece = node->unsynced[i];
        if (next_luck(luck) % 2 || piece.offset >= node->content.size) continue;
        size_t left = node->content.size - piece.offset;
        size_t length = piece.length < left ? piece.length : left;
        content_write(&node->synced, node->content.bytes + piece.offset, length, piece.offset);
    }
    node->unsynced_count = 0;
    node->content.size = 0;
    content_write(&node->content, node->synced.bytes, node->synced.size, 0);
}

void disk_crash(Disk *disk, int powerless, uint64_t luck) {
    disk_disconnect(disk);
    disk->fault = SimulatedFaultNone;
    if (!powerless) return;
    for (Node *node = nodes; node; node = node->next)
        if (node->disk == disk) node_lose_power(node, &luck);
}

int disk_strike(Disk *disk, int on, int code) {
    int concerns = disk->fault == on || (disk->fault == SimulatedFaultPowerCut && on == SimulatedFaultWrite)
        || (disk->fault == SimulatedFaultFull && on == SimulatedFaultWrite && code == SQLITE_IOERR_WRITE);
    if (!concerns || disk->after-- > 0) return SQLITE_OK;
    switch (disk->fault) {
    case SimulatedFaultPowerCut:
        disk_crash(disk, 1, disk->luck);
        disk->was_cut = 1;
        return SQLITE_IOERR;
    case SimulatedFaultFull: code = SQLITE_FULL; break;
    default: break;
    }
    disk->after = 0;
    if (--disk->count <= 0) disk->fault = SimulatedFaultNone;
    return code;
}

// Files

Node *node_found(const char *path) {
    for (Node *node = nodes; node; node = node->next)
        if (strcmp(node->path, path) == 0) return node;
    return NULL;
}

Node *node_made(const char *path) {
    Node *node = calloc(1, sizeof(Node));
    node->path = strdup(path);
    node->disk = disk_of_file(path);
    node->next = nodes;
    nodes = node;
    return node;
}

static void node_free(Node *node) {
    free(node->path);
    free(node->content.bytes);
    free(node->synced.bytes);
    free(node->unsynced);
    if (node->sharing) sharing_release(node->sharing);
    free(node);
}

void node_unlink(Node *node) {
    for (Node **link = &nodes; *link; link = &(*link)->next) {
        if (*link != node) continue;
        *link = node->next;
        break;
    }
    node->is_unlinked = 1;
    if (node->references == 0) node_free(node);
}

void node_release(Node *node) {
    if (--node->references == 0 && node->is_unlinked) node_free(node);
}

void node_write(Node *node, const void *bytes, size_t length, size_t offset) {
    content_write(&node->content, bytes, length, offset);
    if (node->unsynced_count == node->unsynced_capacity) {
        node->unsynced_capacity = node->unsynced_capacity ? node->unsynced_capacity * 2 : 16;
        node->unsynced = realloc(node->unsynced, node->unsynced_capacity * sizeof(Piece));
    }
    node->unsynced[node->unsynced_count++] = (Piece){offset, length};
}

/// Truncation is immediate and permanent.
void node_truncate(Node *node, size_t size) {
    if (size < node->content.size) node->content.size = size;
    if (size < node->synced.size) node->synced.size = size;
}

void node_sync(Node *node) {
    for (size_t i = 0; i < node->unsynced_count; i++) {
        Piece piece = node->unsynced[i];
        if (piece.offset >= node->content.size) continue;
        size_t left = node->content.size - piece.offset;
        size_t length = piece.length < left ? piece.length : left;
        content_write(&node->synced, node->content.bytes + piece.offset, length, piece.offset);
    }
    node->unsynced_count = 0;
}

// What connections share

void sharing_drop_regions(Sharing *sharing) {
    for (int i = 0; i < sharing->region_count; i++) free(sharing->regions[i]);
    free(sharing->regions);
    sharing->regions = NULL;
    sharing->region_count = 0;
}

void sharing_release(Sharing *sharing) {
    if (--sharing->references > 0) return;
    sharing_drop_regions(sharing);
    free(sharing);
}
