"""Tests the values of CuTe's notation, their laws and their pictures."""

import pickle
import xml.etree.ElementTree as ElementTree

import cutlet
import pytest


def test_a_layout_is_a_function():
    rows = cutlet.layout("(4,8):(8,1)")
    assert [[rows(m, n) for n in range(8)] for m in range(4)] == [[8 * m + n for n in range(8)] for m in range(4)]
    assert rows[1, 2] == rows((1, 2)) == 10
    assert str(rows[1, :]) == "(8):(1)"
    assert (rows.size, rows.cosize, rows.kind, rows.value) == (32, 32, "a layout", "(4,8):(8,1)")
    assert rows == cutlet.layout("(4,8):(8,1)") != cutlet.layout("(4,8):(1,4)")
    assert pickle.loads(pickle.dumps(rows)) == rows


def test_laws_say_what_is_known():
    laws = cutlet.layout("Sw<2,3,3> o (8,32):(32,1)").laws
    assert (laws["size"], laws["injective"], laws["compact"], laws["vector"]) == (256, True, True, 8)
    assert cutlet.layout("(4,4):(1,2)").laws["injective"] is False
    assert cutlet.layout("7").laws == {}


def test_what_is_refused_has_its_place():
    with pytest.raises(cutlet.NotationError) as refused:
        cutlet.layout("(4,4):(4,1) o 8:3")
    error = refused.value
    assert "not admissible" in error.message and error.end > error.start
    assert "^" in str(error) and isinstance(error, cutlet.CutletError) and isinstance(error, ValueError)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_pictures_are_svgs_with_each_cell(tmp_path):
    for text in ["(4,8):(8,1)", "SM80_16x8x16_F32F16F16F32_TN", "pipeline(3, 8)", "zipped_divide((8,8):(1,8), (4,2))"]:
        root = ElementTree.fromstring(cutlet.draw(text)._repr_svg_())
        assert root.tag.endswith("svg")
    layout = cutlet.layout("(4,8):(8,1)")
    assert layout._repr_svg_().count("data-o=") == 32
    assert "<svg" in layout._repr_html_() and "(4,8):(8,1)" in layout._repr_html_()
    for end, begins in [("svg", b"<svg"), ("png", b"\x89PNG"), ("tex", b"\\documentclass"), ("txt", b"(4,8)")]:
        layout.draw(theme="dark").save(tmp_path / f"picture.{end}")
        assert (tmp_path / f"picture.{end}").read_bytes().lstrip().startswith(begins)


def test_what_cannot_be_drawn_is_said():
    assert cutlet.layout("7")._repr_svg_() is None or "<svg" in cutlet.layout("7")._repr_svg_()
    with pytest.raises(ValueError, match="theme"):
        cutlet.draw("4:1", theme="blue")
    with pytest.raises(ValueError, match="picture.pdf"):
        cutlet.draw("4:1").save("picture.pdf")
    with pytest.raises(cutlet.CutletError):
        cutlet.draw("(512,512):(1,512)")
