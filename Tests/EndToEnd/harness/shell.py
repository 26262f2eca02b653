"""Real shells that complete satchel's commands."""

import shlex
import subprocess
from pathlib import Path

import pexpect

from .environment import PATIENCE, binary, plain_environment
from .programs import program

READY = "ready>"


class Shell:
    """An interactive shell on a terminal, with the completion that `satchel completions` prints."""

    START = {
        # A key shows the shell's input line and removes it.
        "bash": (["--norc", "--noprofile", "-i"], r"""
            bind 'set bell-style none'; bind 'set completion-query-items 0'; bind 'set page-completions off'
            show() { printf '<<%s>>\n' "$READLINE_LINE"; READLINE_LINE=; READLINE_POINT=0; }
            bind -x '"\C-x": show'"""),
        "zsh": (["-f", "-i"], r"""
            autoload -U compinit; compinit -D -u; setopt no_beep no_always_last_prompt no_auto_menu
            show() { zle -I; print -r -- "<<$BUFFER>>"; BUFFER= }
            zle -N show; bindkey '^X' show"""),
    }

    def __init__(self, name, device):
        arguments, start = self.START[name]
        self.environment = environment(device)
        self.child = pexpect.spawn(
            program(name), arguments, env=self.environment, cwd=str(device.directory), timeout=PATIENCE,
            encoding="utf-8", dimensions=(200, 200))
        self.child.delaybeforesend = None
        file = device.write(f"start.{name}", f"{start}\nsource <(satchel completions {name})\nPS1='{READY[:2]}''{READY[2:]}'\n")
        self.child.sendline(f"source {shlex.quote(str(file))}")
        self.child.expect_exact(READY)

    def tab(self, text, times=1):
        """Types something and presses Tab; returns the resulting line, and the output before it."""
        self.child.send(text + "\t" * times + "\x18")
        self.child.expect(r"<<(.*)>>\r*\n")
        line, shown = self.child.match.group(1), self.child.before
        self.child.expect_exact(READY)
        return line, shown

    def close(self):
        self.child.close(force=True)


def environment(device):
    """The environment of a shell with the program and the device's home."""
    surroundings = plain_environment(device.directory, SATCHEL_HOME=device.home, **device.environment)
    surroundings["PATH"] = f"{Path(binary('satchel')).parent}:{surroundings['PATH']}"
    return surroundings


def fish_offers(device, line):
    """The completions of fish for the word at the end of a line, with their descriptions."""
    code = 'source (satchel completions fish | psub); complete -C "$argv[1]"'
    done = subprocess.run(
        [program("fish"), "--no-config", "-c", code, line], capture_output=True, text=True, timeout=PATIENCE,
        env=environment(device), cwd=device.directory)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return dict(offer.split("\t", 1) if "\t" in offer else (offer, "") for offer in done.stdout.splitlines())
