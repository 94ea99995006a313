# Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
# SPDX-License-Identifier: MIT
"""Lets gmsh, meshio and VTK read the volume meshes that Tessera wrote, and compares what they find.

    volume_interop.py FOLDER

FOLDER holds what tessera_volume_files wrote: files, and `expected` with a line for each of them:
its name, its counts of vertices, cells and polygons, its volume and the sum of its references.
Those called gmsh-... are for gmsh alone.
Exit codes: 0 all agree, 1 not, 77 no reader is installed.
"""
import os
import sys

try:
    import numpy
    import meshio
except ImportError:
    meshio = None
try:
    import gmsh
except ImportError:
    gmsh = None
try:
    import vtk
except ImportError:
    vtk = None

CORNERS = {"tetra": 4, "pyramid": 5, "wedge": 6, "hexahedron": 8}
# Tetrahedra that a cell is cut into.
CUTS = {
    "tetra": [(0, 1, 2, 3)],
    "pyramid": [(0, 1, 2, 4), (0, 2, 3, 4)],
    "wedge": [(0, 1, 2, 3), (1, 4, 2, 3), (2, 4, 5, 3)],
    "hexahedron": [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6),
                   (0, 5, 1, 6)],
}


def volume(points, kind, cells):
    """Negative for cells that are inside out."""
    total = 0.0
    for a, b, c, d in CUTS[kind]:
        p, q, r, s = (points[cells[:, k]] for k in (a, b, c, d))
        total += numpy.einsum("ij,ij->i", numpy.cross(q - p, r - p), s - p).sum() / 6
    return total


def by_meshio(path):
    """(vertices, cells, polygons, volume); files of polyhedra have the volume None."""
    mesh = meshio.read(path)
    cells = polygons = 0
    total = 0.0
    for block in mesh.cells:
        if block.type in CUTS:
            cells += len(block.data)
            # meshio turns VTK's wedges to the order of Gmsh, as Tessera does.
            total += volume(mesh.points, block.type, numpy.asarray(block.data))
        elif block.type.startswith("polyhedron"):
            cells += len(block.data)
            total = None
        elif block.type in ("triangle", "quad", "polygon"):
            polygons += len(block.data)
    return len(mesh.points), cells, polygons, total


def by_gmsh(path):
    gmsh.open(path)
    tags, coordinates, _ = gmsh.model.mesh.getNodes()
    elements = {dim: sum(len(t) for t in gmsh.model.mesh.getElements(dim)[1]) for dim in (2, 3)}
    return len(tags), elements[3], elements[2], None


def by_vtk(path):
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    sizes = vtk.vtkCellSizeFilter()
    sizes.SetInputConnection(reader.GetOutputPort())
    sizes.Update()
    grid = sizes.GetOutput()
    volumes = grid.GetCellData().GetArray("Volume")
    counts = {1: 0, 2: 0, 3: 0}
    total = 0.0
    for i in range(grid.GetNumberOfCells()):
        dimension = grid.GetCell(i).GetCellDimension()
        counts[dimension] += 1
        if dimension == 3:
            total += volumes.GetValue(i)
    has_polyhedra = grid.GetFaces() is not None
    return grid.GetNumberOfPoints(), counts[3], counts[2], None if has_polyhedra else total


def sum_of_physical_groups():
    """Of the tags of the groups of all cells, as gmsh has them."""
    total = 0
    for dim, tag in gmsh.model.getPhysicalGroups(3):
        for entity in gmsh.model.getEntitiesForPhysicalGroup(dim, tag):
            total += tag * sum(len(t) for t in gmsh.model.mesh.getElements(dim, entity)[1])
    return total


def main():
    if meshio is None and gmsh is None and vtk is None:
        print("SKIPPED: neither meshio nor gmsh nor VTK is installed for this Python")
        return 77
    folder = sys.argv[1]
    wrong = 0

    def compare(reader, name, found, expected):
        nonlocal wrong
        same = found[:3] == expected[:3] and (
            found[3] is None or abs(found[3] - expected[3]) <= 1e-9 * expected[3])
        wrong += not same
        print("ok   " if same else "WRONG", reader, name, "found", found, "expected", expected)

    if gmsh is not None:
        gmsh.initialize()
        gmsh.option.setNumber("General.Terminal", 0)
    with open(os.path.join(folder, "expected"), encoding="utf-8") as lines:
        for line in lines:
            name, vertices, cells, polygons, size, refs = line.split()
            expected = (int(vertices), int(cells), int(polygons), float(size))
            path = os.path.join(folder, name)
            if meshio is not None and not name.startswith("gmsh-"):
                compare("meshio", name, by_meshio(path), expected)
            if vtk is not None and name.endswith(".vtu"):
                compare("VTK", name, by_vtk(path), expected)
            if gmsh is not None and (name.endswith(".msh") or name.startswith("gmsh-")):
                compare("gmsh", name, by_gmsh(path), expected)
                if name.endswith(".msh") and sum_of_physical_groups() != int(refs):
                    wrong += 1
                    print("WRONG gmsh", name, "physical groups", sum_of_physical_groups(), refs)
    return 1 if wrong else 0


sys.exit(main())
