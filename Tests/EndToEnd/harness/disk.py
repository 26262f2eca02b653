"""Full disks, and files that can't be written. Only root can create them: a test without them fails."""

import subprocess

from .programs import program


def mount(*arguments):
    done = subprocess.run([program("mount"), *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, f"this test must be run as root, where mounting is allowed: {done.stderr.strip()}"


def unmount(path):
    subprocess.run([program("umount"), "-l", str(path)], check=False, capture_output=True)


class SmallDisk:
    """A separate file system, in memory."""

    def __init__(self, directory, size):
        self.directory = directory
        directory.mkdir()
        mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", directory)

    @property
    def _filler(self):
        return self.directory / "filler"

    def fill(self):
        """Fills it to the last page."""
        with self._filler.open("ab", buffering=0) as file:
            for piece in (1 << 16, 1 << 12):
                try:
                    while file.write(b"x" * piece):
                        pass
                except OSError:
                    pass

    def make_room(self):
        self._filler.unlink()

    def mount_more(self, size):
        """Limits the disk to this size from now on."""
        mount("-o", f"remount,size={size}", self.directory)

    def set_writable(self, writable):
        mount("-o", f"remount,{'rw' if writable else 'ro'}", self.directory)

    def close(self):
        unmount(self.directory)


class ReadOnly:
    """Within this context a file can't be written, not even by root: it is mounted on itself."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        mount("--bind", self.path, self.path)
        mount("-o", "remount,bind,ro", self.path)

    def __exit__(self, *_):
        unmount(self.path)
