"""Items in an IMS content package: a zip with a manifest that lists them.

The manifest follows IMS Content Packaging 1.1 as QTI 2.1 uses it, with the resource type
`imsqti_item_xmlv2p1`. The same items always make the same zip, byte for byte.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from plainformer.classroom.bank.qti import as_item, identifier
from plainformer.classroom.bank.questions import Question

__all__ = ["as_package"]

NAMESPACE = "http://www.imsglobal.org/xsd/imscp_v1p1"


def as_package(chapters: Mapping[str, Sequence[Question]]) -> bytes:
    """A zip of items, in a folder for each chapter.

    Args:
        chapters: each chapter's questions.

    >>> from plainformer.classroom.bank.questions import Block, Choose, Option
    >>> question = Choose("f/mend", "f", (Block("Which?"),), (Option("x", "Yes.", True),))
    >>> zipfile.ZipFile(io.BytesIO(as_package({"a.b": [question]}))).namelist()
    ['imsmanifest.xml', 'a.b/f_mend.xml']
    """
    files = {
        f"{chapter}/{identifier(question.name)}.xml": question
        for chapter, questions in chapters.items()
        for question in questions
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, "imsmanifest.xml", _manifest(files))
        for path, question in files.items():
            _add(archive, path, as_item(question))
    return packed.getvalue()


def _manifest(files: Mapping[str, Question]) -> bytes:
    manifest = Element("manifest", xmlns=NAMESPACE, identifier="plainformer-practice")
    metadata = SubElement(manifest, "metadata")
    SubElement(metadata, "schema").text = "QTIv2.1 Package"
    SubElement(metadata, "schemaversion").text = "1.0.0"
    SubElement(manifest, "organizations")
    resources = SubElement(manifest, "resources")
    for path, question in files.items():
        resource = SubElement(
            resources, "resource", identifier=f"item-{identifier(question.name)}",
            type="imsqti_item_xmlv2p1", href=path,
        )  # fmt: skip
        SubElement(resource, "file", href=path)
    indent(manifest)
    data: bytes = tostring(manifest, "utf-8", xml_declaration=True)
    return data


def _add(archive: zipfile.ZipFile, path: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(path)  # of 1980, whenever it is made
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, data)
