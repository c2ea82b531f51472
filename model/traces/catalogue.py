"""Public traces that the program can read: their descriptions, addresses, and how to fetch them.

A trace is fetched only if the user asks for it by name.
"""

from __future__ import annotations

import gzip
import hashlib
import http.client
import shutil
import tarfile
import zipfile
import zlib
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, BinaryIO, Callable, Iterator, Mapping, NamedTuple, cast
from urllib.error import HTTPError
from urllib.request import urlopen

from slotscope.model.errors import TraceError, unknown_name
from slotscope.model.traces.reading import GZIP_MAGIC

#: Seconds to wait for a server's answer.
PATIENCE = 30.0

_CHUNK = 1 << 18


class RemoteFile(NamedTuple):
    """A file of a trace: its address, and the SHA-256 of its unpacked content (empty: unknown).

    If the address is that of an archive, ``member`` is the file to extract from it.
    """

    url: str
    sha256: str = ""
    member: str = ""

    @property
    def name(self) -> str:
        """The file's name."""
        return (self.member or self.url).rpartition("/")[2]


class PublicTrace(NamedTuple):
    """A trace that can be fetched."""

    title: str
    scenarios: tuple[str, ...]  #: built-in scenarios that can play it, of the kinds of system that read its format
    megabytes: float | None  #: the size of the download; None if unknown
    licence: str  #: its owners' licence
    files: tuple[RemoteFile, ...]


_GITHUB = "https://raw.githubusercontent.com"
_HUAWEI = f"{_GITHUB}/huaweicloud/trace_generation_rnn/8ef3c110c112ff4c11f83a39f658373b37b43124/resources"
_ALIBABA = f"{_GITHUB}/alibaba/clusterdata/50a91c7c74abe3b658188dc78ac1dd302970d40c/cluster-trace-gpu-v2023/csv"

#: All traces by name.
TRACES: Mapping[str, PublicTrace] = {
    "google-2011": PublicTrace(
        "Google ClusterData2011_2, task_events, the first of 500 parts",
        ("dra-google", "queues-google"),
        4.1,
        "CC-BY 4.0, John Wilkes and Charles Reiss",
        (
            RemoteFile(
                "https://storage.googleapis.com/clusterdata-2011-2/task_events/part-00000-of-00500.csv.gz",
                "c18c344bd193e211a4c22c1989760493bf1291bb6d157d2b80b04bb4e568b580",
            ),
        ),
    ),
    "azure-2017": PublicTrace(
        "Azure VM trace V1 as prepared by Huawei Cloud, part dev",
        ("jrs-azure",),
        1.7,
        "CC-BY 4.0 (Microsoft), MIT (Huawei Cloud)",
        (
            RemoteFile(
                f"{_HUAWEI}/traces/v1.dev.txt", "78a3e6c258553b458bd8e55d867ef5fa1a2b82cdd5c4c4b1f777210669835af6"
            ),
            RemoteFile(
                f"{_HUAWEI}/traces/v1.dev.c2100000.txt",
                "46521121c2917b14800abd090354b41045ff5f5d88f8b144456af6e098196b32",
            ),
            RemoteFile(
                f"{_HUAWEI}/maps/flav_map.txt", "2b7ae5498471022e4bb0d62b148cbde01d5704a5fef482096ad780e17cbb0902"
            ),
            RemoteFile(
                f"{_HUAWEI}/maps/v1.interval_map.txt",
                "404436c751ac5a345092b8b5c9cb91ca99ae013c675fd932cfb7fc633eb9579d",
            ),
        ),
    ),
    "alibaba-gpu-2023": PublicTrace(
        "Alibaba cluster-trace-gpu-v2023, the list of pods",
        ("queues-alibaba", "jrs-alibaba"),
        0.6,
        "for study or research, Alibaba Group",
        (
            RemoteFile(
                f"{_ALIBABA}/openb_pod_list_default.csv",
                "1ee7ed79c27a3b0861cda8ddba86a004c6aba904caafa329a76ae93ca63834a8",
            ),
        ),
    ),
    "kth-sp2": PublicTrace(
        "KTH-SP2, 1996 to 1997, Parallel Workloads Archive",
        ("moldable-swf",),
        0.4,
        "free to researchers who name the archive and Lars Malinowsky",
        (RemoteFile("https://www.cs.huji.ac.il/labs/parallel/workload/l_kth_sp2/KTH-SP2-1996-2.swf.gz"),),
    ),
    "google-2019": PublicTrace(
        "Google ClusterData2019, instance_events of cell a, the first file",
        ("dra-google", "queues-google", "jrs-azure", "moldable-swf"),
        None,
        "CC-BY 4.0, John Wilkes and others",
        (RemoteFile("https://storage.googleapis.com/clusterdata_2019_a/instance_events-000000000000.json.gz"),),
    ),
    "azure-packing-2020": PublicTrace(
        "Azure Trace for Packing 2020, zone a",
        ("dra-google", "queues-google", "jrs-azure", "moldable-swf"),
        None,
        "CC-BY, Microsoft",
        (
            RemoteFile(
                "https://github.com/Azure/AzurePublicDataset/releases/download/dataset-packing-2020/"
                "azurevmallocation_dataset2020_AzurePackingTraceV1.zip",
                member="packing_trace_zone_a_v1.sqlite",
            ),
        ),
    ),
    "alibaba-gpu-2020": PublicTrace(
        "Alibaba cluster-trace-gpu-v2020, the table of tasks",
        ("queues-alibaba", "jrs-alibaba", "moldable-swf"),
        34,
        "for study or research, Alibaba Group",
        (
            RemoteFile(
                "https://aliopentrace.oss-cn-beijing.aliyuncs.com/v2020GPUTraces/pai_task_table.tar.gz",
                "6954802b457305f8a9e480ef97c40060baee59649fd3adc62c5a1e048aa058de",
                "pai_task_table.csv",
            ),
        ),
    ),
    "philly": PublicTrace(
        "Philly, training jobs on GPUs, August to December 2017",
        ("moldable-swf",),
        980,
        "as is, citing Jeon et al. (ATC 2019), Microsoft",
        (
            RemoteFile(
                "https://media.githubusercontent.com/media/msr-fiddle/philly-traces/master/trace-data.tar.gz",
                member="cluster_job_log",
            ),
        ),
    ),
}


class Fetched(NamedTuple):
    """A fetched file, the SHA-256 of its unpacked content, and whether that was checked against a known one."""

    path: Path
    sha256: str
    checked: bool


def trace_named(name: str) -> PublicTrace:
    """The trace of that name. Raises TraceError if there is none; the error suggests the nearest name."""
    if name not in TRACES:
        raise TraceError(unknown_name("trace", name, TRACES))
    return TRACES[name]


def fetch(file: RemoteFile, folder: Path, told: Callable[[int, int], None]) -> Fetched:
    """Fetch a file into *folder*; an existing file with the known checksum is left as it is.

    ``told`` is called with the bytes so far and in total (0: unknown).  Even after an error, a file under the
    final name is complete.
    Raises TraceError if the file cannot be reached or written, or has another checksum.
    """
    path = folder / file.name
    part = path.with_name(f"{path.name}.part")
    made = [one for one in (folder, *folder.parents) if not one.exists()]
    try:
        if file.sha256 and path.is_file() and content_hash(path) == file.sha256:
            return Fetched(path, file.sha256, True)
        folder.mkdir(parents=True, exist_ok=True)
        _download(file.url, part, told)
        if file.member:
            _take_out(part, file)
        if not (found := content_hash(part)):
            raise TraceError("found a damaged gzip file; fetch it again", where=file.url)
        if file.sha256 and found != file.sha256:
            told_so = (
                f"found the SHA-256 {found}, allowed: {file.sha256}; it did not come whole, or is another one by now"
            )
            raise TraceError(told_so, where=file.url)
        part.replace(path)
    except OSError as error:
        raise TraceError(f"cannot be written: {error.strerror or error}", where=str(path)) from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
            for one in made:
                one.rmdir()  # fails unless the folder is empty, that is, if something was fetched
    return Fetched(path, found, bool(file.sha256))


def content_hash(path: Path) -> str:
    """The SHA-256 of a file's content, after unpacking if it is gzip'd; empty if the gzip data are damaged.

    Raises OSError if the file cannot be read.
    """
    digest = hashlib.sha256()
    with path.open("rb") as raw:
        packed = raw.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        raw.seek(0)
        stream = cast("BinaryIO", gzip.GzipFile(fileobj=raw)) if packed else raw
        try:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            return ""
    return digest.hexdigest()


def _take_out(archive: Path, file: RemoteFile) -> None:
    """Replace a zip or tar archive by its member, which may be in any folder of the archive."""
    taken = archive.with_suffix(".member")
    try:
        with ExitStack() as stack:
            found: IO[bytes] | None = None
            if zipfile.is_zipfile(archive):
                pack = stack.enter_context(zipfile.ZipFile(archive))
                inside = next((name for name in pack.namelist() if name.rpartition("/")[2] == file.member), None)
                found = None if inside is None else stack.enter_context(pack.open(inside))
            else:
                tape = stack.enter_context(tarfile.open(archive))
                member = next((one for one in tape if one.name.rpartition("/")[2] == file.member), None)
                found = None if member is None else tape.extractfile(member)
            if found is None:
                raise TraceError(f"found no {file.member} in it; the file there is another one by now", where=file.url)
            with taken.open("wb") as out:
                shutil.copyfileobj(found, out)
        taken.replace(archive)
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error):
        raise TraceError("found a damaged archive; fetch it again", where=file.url) from None
    finally:
        taken.unlink(missing_ok=True)


def _download(url: str, path: Path, told: Callable[[int, int], None]) -> None:
    size = done = 0
    with path.open("wb") as out:
        for chunk, size in _chunks(url):
            out.write(chunk)
            done += len(chunk)
            told(done, size)
    if size and done != size:
        raise TraceError(f"found {done:,} bytes of {size:,}; the connection was cut, fetch it again", where=url)


def _chunks(url: str) -> Iterator[tuple[bytes, int]]:
    """The response of a server, piece by piece, each with the total number of bytes."""
    try:
        with urlopen(url, timeout=PATIENCE) as answer:
            size = int(answer.headers.get("Content-Length") or 0)
            while chunk := answer.read(_CHUNK):
                yield chunk, size
    except HTTPError as error:
        error.close()
        answers = http.client.responses.get(error.code, error.reason)
        raise TraceError(f"the server answers {error.code} {answers}", where=url) from None
    except (OSError, http.client.HTTPException, EOFError) as error:
        reason = getattr(error, "reason", None) or error
        words = getattr(reason, "strerror", None) or reason
        raise TraceError(f"cannot be reached ({words}); is this machine offline?", where=url) from None
