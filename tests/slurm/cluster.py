"""A Slurm cluster of fake nodes on one machine: munged, slurmctld and one slurmd for each node, from Debian's packages.

Everything lies in one folder, on ports of its own, and ends with the object. Needs root, as slurmd does."""

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel", "sinfo")
START_S = 30  # until all nodes are idle; it takes 3 on a quiet machine

CONFIGURATION = """\
ClusterName=plumbline-test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CryptoType=crypto/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=5
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
SlurmctldPort={port}
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmdLogFile={folder}/slurmd-%n.log
SlurmdSpoolDir={folder}/spool/%n
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
SlurmdTimeout=5
SlurmctldTimeout=10
InactiveLimit=0
KillWait=5
MinJobAge=300
OverTimeLimit=0
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
"""


def missing():
    """Why no cluster can be started here; "" if it can."""
    absent = [name for name in PROGRAMS if not program(name)]
    if absent:
        return f"Slurm is not installed (no {', '.join(absent)}): apt-get install slurm-wlm munge"
    return "" if os.geteuid() == 0 else "slurmd needs root"


def program(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def free_ports(count):
    """Ports that are free now; found together, so that they differ."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    """Nodes n1 … with one fake GPU each, or with one GPU of this machine each. Use it in a `with`."""

    def __init__(self, folder, nodes=4, has_gpus=False):
        self.folder = pathlib.Path(folder)
        self.has_gpus = has_gpus
        self.nodes = [f"n{i}" for i in range(1, nodes + 1)]
        self.daemons = {}  # name: process
        self.environment = os.environ | {"SLURM_CONF": str(self.folder / "slurm.conf")}
        for name in [name for name in self.environment if name.startswith(("SLURM_", "SBATCH_", "SQUEUE_"))]:
            if name != "SLURM_CONF":
                del self.environment[name]

    def __enter__(self):
        try:
            self._write_configuration()
            self._start_munge()
            self._start("slurmctld", [program("slurmctld"), "-D", "-f", self.folder / "slurm.conf"])
            for node in self.nodes:
                self.start_node(node)
            self.wait_until(lambda: self.states() == {"idle"}, "all nodes are idle", START_S)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        subprocess.run([program("scancel"), "--user=root"], env=self.environment, capture_output=True, timeout=20)
        for daemon in reversed(self.daemons.values()):
            daemon.terminate()
        for daemon in self.daemons.values():
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def _write_configuration(self):
        host = socket.gethostname().split(".")[0]
        for name in ("state", "spool", "munge"):
            (self.folder / name).mkdir(mode=0o755)
        control, *ports = free_ports(1 + len(self.nodes))
        text = CONFIGURATION.format(folder=self.folder, host=host, port=control)
        for node, port in zip(self.nodes, ports):
            (self.folder / "spool" / node).mkdir()
            text += (
                f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1"
                " RealMemory=100 Gres=gpu:1 State=UNKNOWN\n"
            )
        nodes = ",".join(self.nodes)
        text += f"PartitionName=batch Nodes={nodes} Default=YES MaxTime=INFINITE PriorityTier=1\n"
        text += f"PartitionName=urgent Nodes={nodes} MaxTime=INFINITE PriorityTier=9\n"
        if self.has_gpus:
            text += f"TaskProlog={self._prolog()}\n"
        (self.folder / "slurm.conf").write_text(text)
        # The plugin of version 2 wants systemd, or to change the machine's groups. No task uses groups here.
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        # A GPU's file must be a character device; /dev/null is one that every machine has.
        files = [f"/dev/nvidia{i}" if self.has_gpus else "/dev/null" for i in range(len(self.nodes))]
        (self.folder / "gres.conf").write_text(
            "".join(f"NodeName={node} Name=gpu File={file}\n" for node, file in zip(self.nodes, files))
        )

    def _prolog(self):
        """A script that shows each job its node's GPU alone. Slurm counts the GPUs of a node from 0, and here all nodes are
        one machine."""
        path = self.folder / "prolog.sh"
        cases = "".join(f"  {node}) echo export CUDA_VISIBLE_DEVICES={i} ;;\n" for i, node in enumerate(self.nodes))
        path.write_text(f"#!/bin/sh\ncase $SLURMD_NODENAME in\n{cases}esac\n")
        path.chmod(0o755)
        return path

    def _start_munge(self):
        munge = self.folder / "munge"
        munge.chmod(0o755)
        key = munge / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self._start(
            "munged",
            [program("munged"), "--foreground", "--force", "--key-file", key, "--socket", munge / "socket"]
            + ["--pid-file", munge / "pid", "--log-file", munge / "log", "--seed-file", munge / "seed"],
        )
        self.wait_until((munge / "socket").exists, "munged listens", START_S)

    def _start(self, name, command):
        with open(self.folder / f"{name}.out", "ab") as log:
            self.daemons[name] = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self.environment,
                cwd=self.folder,
                start_new_session=True,
            )

    def start_node(self, node):
        self._start(node, [program("slurmd"), "-D", "-N", node, "-f", self.folder / "slurm.conf"])

    def kill_node(self, node, with_jobs):
        """Kills the node's daemon, and what it has started: as a power cut would. Without, as a cut cable would."""
        daemon = self.daemons.pop(node)
        daemon.kill()
        daemon.wait()
        if with_jobs:
            steps, jobs = self._processes_of(node)
            self._signal(steps + jobs, signal.SIGKILL)  # the step's daemon first, so that it reports nothing

    def signal_jobs(self, node, number):
        """Sends a signal to all processes of the node's jobs."""
        self._signal(self._processes_of(node)[1], number)

    @staticmethod
    def _signal(pids, number):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def _processes_of(self, node):
        """Process ids: the daemons of the node's steps, and the processes of its jobs."""
        steps, jobs = set(), []
        marks = (f"SLURMD_NODENAME={node}\0".encode(), f"SLURM_CONF={self.folder}/".encode())
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if not all(mark in (folder / "environ").read_bytes() for mark in marks):
                    continue
                jobs.append(int(folder.name))
                parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
                if "slurmstepd" in pathlib.Path(f"/proc/{parent}/comm").read_text():
                    steps.add(parent)
        return sorted(steps), jobs

    def call(self, *words, **settings):
        done = subprocess.run(
            [program(words[0]), *map(str, words[1:])],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
            **settings,
        )
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stderr}")
        return done.stdout

    def states(self):
        words = [program("sinfo"), "--noheader", "--Node", "--format=%T"]
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=60)
        return set(done.stdout.split()) if done.returncode == 0 else set()

    def jobs(self):
        """{"12_3": {"state": "RUNNING", "node": "n1", "reason": …}}: every job and task that Slurm knows."""
        listed = self.call("squeue", "--noheader", "--array", "--states=all", "--format=%i|%T|%N|%r|%j")
        found = {}
        for line in listed.splitlines():
            number, state, node, reason, name = line.split("|", 4)
            found[number] = {"state": state, "node": node, "reason": reason, "name": name}
        return found

    def wait_until(self, holds, what, limit_s=60):
        end = time.monotonic() + limit_s
        while not (value := holds()):
            for name, daemon in self.daemons.items():
                if daemon.poll() is not None:
                    raise AssertionError(f"{name} ended with {daemon.returncode}: see {self.log_of(name)}")
            if time.monotonic() > end:
                raise AssertionError(f"not within {limit_s} s: {what}\n{self.describe()}")
            time.sleep(0.1)
        return value

    def log_of(self, name):
        return "".join(
            path.read_text(errors="replace")[-2000:]
            for path in (self.folder / f"{name}.out", self.folder / f"{name}.log", self.folder / f"slurmd-{name}.log")
            if path.exists()
        )

    def describe(self):
        text = ""
        for words in (["squeue", "--array", "--states=all"], ["sinfo", "--Node", "--long"]):
            done = subprocess.run([program(words[0]), *words[1:]], env=self.environment, capture_output=True, text=True)
            text += done.stdout + done.stderr
        return text + self.log_of("slurmctld")
