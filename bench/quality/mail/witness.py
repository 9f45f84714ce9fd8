"""What mail holds, told by others than the readers measured: `email` and `mailbox` of Python's library for EML and mbox, the
property streams of MS-OXMSG by olefile for MSG. witness.py FILE… writes a line of JSON for each file.
"""
import codecs, email, email.policy, html.parser, json, mailbox, re, struct, sys

try:
    import olefile
except ImportError:
    olefile = None


class Stripper(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.words, self.hidden = [], 0

    def handle_starttag(self, tag, attributes):
        self.hidden += tag in ("style", "script", "title")
        self.words.append("" if tag in ("b", "i", "em", "strong", "span", "a", "u", "font", "sub", "sup") else " ")

    def handle_endtag(self, tag):
        self.hidden -= tag in ("style", "script", "title") and self.hidden > 0
        self.words.append("" if tag in ("b", "i", "em", "strong", "span", "a", "u", "font", "sub", "sup") else " ")

    def handle_data(self, data):
        if not self.hidden:
            self.words.append(data)


def stripped(markup):
    stripper = Stripper()
    stripper.feed(markup)
    return "".join(stripper.words)


def text_of(part):
    try:
        return part.get_content()
    except (LookupError, KeyError, UnicodeError):
        return (part.get_payload(decode=True) or b"").decode("latin-1")


def of_message(message):
    truth = {"subject": str(message["subject"] or ""), "people": [], "bodies": [], "names": [], "inside": [], "isWhole": True}
    for name in ("from", "to", "cc", "bcc"):
        for header in message.get_all(name, []):
            for address in getattr(header, "addresses", ()):
                truth["people"] += [one for one in (address.display_name, address.addr_spec) if one not in ("", "<>")]
    collect(message, truth)
    return truth


# The alternatives of one body are bodies; what follows a body is more of each.
def collect(part, truth):
    kind = part.get_content_type()
    if part.get_filename() and not part.is_multipart():
        truth["names"].append(part.get_filename())
    is_attached = part.get_content_disposition() == "attachment" or bool(part.get_filename())
    if kind == "multipart/alternative":
        found = [collected(one) for one in part.iter_parts()]
        bodies = [body for one in found for body in one["bodies"]]
        extend(truth, bodies or [""])
        for one in found:
            truth["names"] += one["names"]
            truth["inside"] += one["inside"]
            truth["isWhole"] &= one["isWhole"]
    elif kind == "message/rfc822":
        for one in part.iter_parts():
            inner = of_message(one)
            truth["inside"] += [inner["subject"], *inner["people"], *inner["bodies"], *inner["inside"]]
            truth["names"] += inner["names"]
            truth["isWhole"] &= inner["isWhole"]
    elif part.is_multipart():
        for one in part.iter_parts():
            collect(one, truth)
    elif kind in ("text/plain", "text/html"):
        text = text_of(part)
        text = stripped(text) if kind == "text/html" else text
        truth["inside"].append(text) if is_attached else extend(truth, [text])
    elif not kind.startswith("image/"):
        truth["isWhole"] = False


def collected(part):
    truth = {"bodies": [], "names": [], "inside": [], "isWhole": True}
    collect(part, truth)
    return truth


def extend(truth, bodies):
    truth["bodies"] = [f"{before}\n{after}" for before in truth["bodies"] or [""] for after in bodies]


def of_eml(path):
    with open(path, "rb") as file:
        return [of_message(email.message_from_binary_file(file, policy=email.policy.default))]


def of_mbox(path):
    box = mailbox.mbox(path, factory=lambda file: email.message_from_binary_file(file, policy=email.policy.default))
    return [of_message(message) for message in box]


def of_msg(path):
    if olefile is None:
        raise RuntimeError("olefile is not installed")
    with olefile.OleFileIO(path) as ole:
        encoding8 = code_page(ole)

        def text(folder, number):
            for kind, encoding in (("001F", "utf-16-le"), ("001E", encoding8)):
                name = folder + [f"__substg1.0_{number}{kind}"]
                if ole.exists(name):
                    return ole.openstream(name).read().decode(encoding, "replace").strip("\0 ")
            return ""
        attached = [entry for entry in ole.listdir(False, True) if len(entry) == 1 and entry[0].startswith("__attach")]
        bodies = [text([], "1000")]
        if ole.exists("__substg1.0_10130102"):
            bodies.append(stripped(ole.openstream("__substg1.0_10130102").read().decode(encoding8, "replace")))
        recipients = [entry for entry in ole.listdir(False, True) if len(entry) == 1 and entry[0].startswith("__recip")]
        addresses = [text([], number) for number in ("0C1F", "5D01")]
        addresses += [text(one, number) for one in recipients for number in ("3001", "39FE", "3003")]
        people = [text([], number) for number in ("0C1A", "0E04", "0E03")]
        # Named properties (MS-OXPROPS: 0x8000 and above), such as the place of an appointment.
        own = [entry[0][12:16] for entry in ole.listdir() if len(entry) == 1 and re.match("__substg1.0_[89A-F]...001[EF]$", entry[0])]
        return [{
            "subject": text([], "0037"),
            "people": [one.strip("' ") for entry in people for one in entry.split(";") if one.strip("' ")],
            "bodies": [body for body in bodies if body],
            "names": [name for name in (text(one, "3707") or text(one, "3704") or text(one, "3001") for one in attached) if name],
            "inside": addresses + [text([], number) for number in own],
            "isWhole": not attached,
        }]


# PidTagMessageCodepage, PidTagInternetCodepage; properties of 16 bytes after a header of 32 (MS-OXMSG 2.4).
def code_page(ole):
    stream = ole.openstream("__properties_version1.0").read()
    values = {}
    for at in range(32, len(stream) - 15, 16):
        tag, _, value = struct.unpack_from("<III", stream, at)
        values[tag] = value
    for tag in (0x3FFD0003, 0x3FDE0003):
        name = {65001: "utf-8", 20127: "cp1252", 28591: "latin-1"}.get(values.get(tag), f"cp{values.get(tag)}")
        try:
            codecs.lookup(name)
            return name
        except LookupError:
            pass
    return "cp1252"


readers = {"eml": of_eml, "mbox": of_mbox, "msg": of_msg}
for path in sys.argv[1:]:
    try:
        print(json.dumps({"path": path, "messages": readers[re.sub(r".*\.", "", path).lower()](path)}))
    except Exception as error:
        print(json.dumps({"path": path, "error": f"{type(error).__name__}: {error}"}))
