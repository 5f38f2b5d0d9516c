"""A scikit-learn forest behind FastAPI and uvicorn, as services of Python are commonly written; `measure.mjs` of @vouch/serve calls it.

Usage: sklearn_service.py DATA.csv TARGET PORT. Answers POST /predict with one record or a list of them.
"""

import csv
import sys
from typing import Dict, List, Union

import numpy as np
import uvicorn
from fastapi import FastAPI
from sklearn.ensemble import RandomForestClassifier

path, target, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
with open(path, newline="") as file:
    rows = list(csv.DictReader(file))
names = [name for name in rows[0] if name != target]
matrix = np.array([[float(row[name]) if row[name] not in ("", "?") else 0.0 for name in names] for row in rows])
model = RandomForestClassifier(n_estimators=100, random_state=1).fit(matrix, [row[target] for row in rows])
classes = [str(name) for name in model.classes_]

app = FastAPI()
Record = Dict[str, float]


@app.post("/predict")
def predict(body: Union[Record, List[Record]]):
    records = body if isinstance(body, list) else [body]
    probabilities = model.predict_proba(np.array([[record[name] for name in names] for record in records]))
    answers = [
        {"prediction": classes[int(np.argmax(each))], "probabilities": dict(zip(classes, each.tolist()))}
        for each in probabilities
    ]
    return answers if isinstance(body, list) else answers[0]


uvicorn.run(app, host="127.0.0.1", port=port, log_level="error", access_log=False)
