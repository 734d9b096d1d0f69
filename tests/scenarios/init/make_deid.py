"""Makes small files of the form in which ARX keeps projects: make_deid.py NAME [KIND]."""

import sys
import zipfile

COLUMNS = [  # name, type, hierarchy, more
    ("sex", "QUASI_IDENTIFYING_ATTRIBUTE", "Male;*\nFemale;*\n", ""),
    ("age", "QUASI_IDENTIFYING_ATTRIBUTE", "".join(f"{i};{i // 5 * 5}-{i // 5 * 5 + 4};*\n" for i in range(100)), ""),
    ("work & pay", "QUASI_IDENTIFYING_ATTRIBUTE", "Clerk;Office;*\n?;?;*\n", "<response>true</response>"),
    ("disease", "SENSITIVE_ATTRIBUTE", "", ""),
    ("ward", "INSENSITIVE_ATTRIBUTE", "", ""),
    ("name", "IDENTIFYING_ATTRIBUTE", "", ""),
]


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


def project():
    about = "<project>\n\t<name>A</name>\n\t<separator>;</separator>\n\t<escape>&quot;</escape>\n\t<quote>&quot;</quote>\n</project>\n"
    definition = "<definition>\n"
    files = {}
    for number, (name, kind, hierarchy, more) in enumerate(COLUMNS):
        ref = f"<ref>hierarchies/{number}.csv</ref>" if hierarchy else ""
        definition += f"\t<assigment>\n\t\t<name>{escaped(name)}</name>\n\t\t<type>{kind}</type>{ref}{more}\n\t</assigment>\n"
        if hierarchy:
            files[f"input/hierarchies/{number}.csv"] = hierarchy
    rows = [";".join(name for name, *_ in COLUMNS)]
    for i in range(60):
        rows.append(f"{('Male', 'Female')[i % 2]};{20 + i % 10};{('Clerk', '?', 'Cook')[i % 3]};{('flu', 'HIV')[i % 2]};W{i % 4};Ann {i}")
    return {
        "metadata.xml": "<metadata>\n\t<version>3.7.0</version>\n</metadata>\n",
        "project.xml": about,
        "data/input.csv": "\n".join(rows) + "\n",
        "input/definition.xml": definition + "</definition>\n",
        "input/config.xml": "<config><criteria><criterion>5-anonymity</criterion>"
                            "<criterion>distinct-2-diversity for attribute 'disease'</criterion></criteria></config>",
        **files,
    }


def main(path, kind="good"):
    files = project()
    if kind == "no_table":
        del files["data/input.csv"]
    if kind == "no_definition":
        del files["input/definition.xml"]
    if kind == "bad_xml":
        files["input/definition.xml"] = '<!DOCTYPE a [<!ENTITY x "SECRETVALUE">]><definition/>'
    if kind == "climbs":
        files["../../climbed.csv"] = "x"
        files["input/definition.xml"] = files["input/definition.xml"].replace("hierarchies/0.csv", "../../climbed.csv")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    if kind == "cut":
        data = open(path, "rb").read()
        open(path, "wb").write(data[: len(data) // 2])
    if kind == "flipped":  # a bit of what is packed
        data = bytearray(open(path, "rb").read())
        at = data.index(b"data/input.csv") + 60
        data[at] ^= 1
        open(path, "wb").write(data)
    if kind == "bomb":  # says that the table is a thousand times as large as it can be
        data = bytearray(open(path, "rb").read())
        at = data.rindex(b"data/input.csv") - 46
        data[at + 24 : at + 28] = (0x7FFFFFF0).to_bytes(4, "little")
        open(path, "wb").write(data)


if __name__ == "__main__":
    main(*sys.argv[1:])
