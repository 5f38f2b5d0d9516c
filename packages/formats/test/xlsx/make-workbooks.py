# Makes the workbooks of the tests, once: python3 make-workbooks.py (openpyxl 3.0.9). german-calc.xlsx is german.xlsx as LibreOffice 7.4
# saves it: soffice --headless --convert-to "xlsx:Calc MS Excel 2007 XML" --outdir calc german.xlsx
import datetime
from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.styles import Font

ROWS = [
    ("Müller", datetime.date(2024, 3, 31), 1234.5, 0.125, "ja"),
    ("Weiß", datetime.date(2023, 12, 1), 0.5, 0.34, "nein"),
    ("François", None, -17, 1, "ja"),
    ("Oë \"K\"", datetime.date(1999, 1, 2), 88.25, 0, "nein"),
    ("€uro; Komma, Tab", datetime.date(2024, 2, 29), 3, 0.07, "ja"),
]

# A German report: titles, blank rows and columns around the table, a total with a formula, a second sheet.
book = Workbook()
notes = book.active
notes.title = "Hinweise"
notes["A1"] = "Nur ein Hinweis"
sheet = book.create_sheet("Kunden & Käufe")
sheet["B2"] = "Bericht 2024"
sheet["B2"].font = Font(bold=True)
sheet.merge_cells("B2:F2")
sheet["B3"] = "Stand: März"
for j, name in enumerate(["Name", "Datum", "Umsatz", "Anteil", "Kauf"]):
    sheet.cell(5, 2 + j, name)
for i, row in enumerate(ROWS):
    for j, value in enumerate(row):
        cell = sheet.cell(6 + i, 2 + j, value)
        if j == 1:
            cell.number_format = "DD.MM.YYYY"
        if j == 3:
            cell.number_format = "0.0%"
sheet["B12"] = "Summe"
sheet["D12"] = 1309.25
sheet["B7"].comment = Comment("Stammkunde", "Autor")
book.create_sheet("Leer")
book.save("german.xlsx")

# All types of cells; merged cells of several rows; times, errors, formulas without results; days from 1904.
book = Workbook()
book.epoch = datetime.datetime(1904, 1, 1)
sheet = book.active
sheet.append(["group", "when", "at", "share", "flag", "broken", "text", "formula"])
rows = [
    ["north", datetime.datetime(2024, 3, 31, 12, 30), datetime.time(6, 0), 0.5, True, "#N/A", "line\nbreak", "=D2*2"],
    [None, datetime.datetime(2024, 4, 1), datetime.time(18, 0), 0.25, False, "#DIV/0!", "007", "=D3*2"],
    ["south", datetime.datetime(1970, 1, 1, 0, 0, 1), None, 1e-7, True, 3, "a < b & \"c\"", "=D4*2"],
    [None, None, None, 123456789012, None, 4, " space ", "=D5*2"],
]
for row in rows:
    sheet.append(row)
sheet.merge_cells("A2:A3")
sheet.merge_cells("A4:A5")
book.save("types.xlsx")
