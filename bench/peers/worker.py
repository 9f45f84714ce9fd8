"""`worker.py PEER [COMMAND ...]`: answers each path on stdin with what a peer of PyPI, or a command, makes of it.

PEER is a converter below; `command` runs COMMAND with {} replaced by the path and takes its stdout.
"""
import io, json, resource, subprocess, sys, warnings

warnings.simplefilter("ignore")


def markitdown():
    from markitdown import MarkItDown
    converter = MarkItDown()
    return lambda path: converter.convert(path).text_content


def pymupdf4llm():
    import pymupdf4llm
    return lambda path: pymupdf4llm.to_markdown(path)


def unstructured():
    from unstructured.partition.auto import partition
    from unstructured.staging.base import elements_to_md

    def convert(path):
        options = {"strategy": "fast"} if path.lower().endswith(".pdf") else {}
        return elements_to_md(partition(filename=path, **options))
    return convert


def docling():
    from docling.document_converter import DocumentConverter
    converter = DocumentConverter()
    return lambda path: converter.convert(path).document.export_to_markdown()


def command():
    def convert(path):
        done = subprocess.run([part.replace("{}", path) for part in sys.argv[2:]], capture_output=True)
        if done.returncode != 0:
            raise RuntimeError(f"status {done.returncode}: {done.stderr.decode(errors='replace')[-300:]}")
        return done.stdout.decode("utf-8", errors="replace")
    return convert


def main():
    convert = globals()[sys.argv[1]]()
    answers, sys.stdout = sys.stdout, io.StringIO()
    for line in sys.stdin:
        try:
            answer = {"text": convert(json.loads(line))}
        except BaseException as error:
            answer = {"error": f"{type(error).__name__}: {error}"[:300]}
        own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        # A command is measured without this process around it.
        parts = [children] if sys.argv[1] == "command" else [own, children]
        answer["cpuMs"] = 1000 * sum(part.ru_utime + part.ru_stime for part in parts)
        answer["peakKib"] = max(part.ru_maxrss for part in parts)
        answers.write("\n@@answer " + json.dumps(answer) + "\n")
        answers.flush()


main()
