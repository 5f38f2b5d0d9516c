"""Calls every method of the Open Inference Protocol with grpcio and the protocol's messages; prints what it learns as JSON."""

import json
import struct
import sys

import grpc

given = json.loads(sys.argv[1])
sys.path.insert(0, given["messages"])
import inference_pb2 as pb  # noqa: E402

channel = grpc.insecure_channel(given["target"])
SERVICE = "/inference.GRPCInferenceService/"


def call(method, request, token=given["token"]):
    stub = channel.unary_unary(
        SERVICE + method,
        request_serializer=type(request).SerializeToString,
        response_deserializer=getattr(pb, method + "Response").FromString,
    )
    metadata = [("authorization", f"Bearer {token}")] if token else []
    return stub(request, metadata=metadata, timeout=20)


def fault(request, token=given["token"]):
    try:
        call("ModelInfer", request, token)
    except grpc.RpcError as error:
        return [error.code().name, error.details()]
    return None


rows = given["rows"]
count = len(rows)
nan = float("nan")
lengths = [nan if row["length"] is None else row["length"] for row in rows]
widths = [row["width"] for row in rows]
colours = [(row["colour"] or "").encode() for row in rows]
numbers = [row["constructor"] for row in rows]


def request(name="flowers"):
    made = pb.ModelInferRequest(model_name=name, id="7")
    for column, datatype in [("length", "FP64"), ("width", "FP64"), ("colour", "BYTES"), ("constructor", "INT64")]:
        made.inputs.add(name=column, datatype=datatype, shape=[count])
    return made


typed = request()
typed.inputs[0].contents.fp64_contents.extend(lengths)
typed.inputs[1].contents.fp64_contents.extend(widths)
typed.inputs[2].contents.bytes_contents.extend(colours)
typed.inputs[3].contents.int64_contents.extend(numbers)
answer = call("ModelInfer", typed)

raw = request()
raw.raw_input_contents.append(struct.pack(f"<{count}d", *lengths))
raw.raw_input_contents.append(struct.pack(f"<{count}d", *widths))
raw.raw_input_contents.append(b"".join(struct.pack("<I", len(colour)) + colour for colour in colours))
raw.raw_input_contents.append(struct.pack(f"<{count}q", *numbers))
raw.outputs.add(name="probabilities")
raw.outputs.add(name="prediction")
raw_answer = call("ModelInfer", raw)
probabilities, texts = raw_answer.raw_output_contents
predictions = []
while texts:
    (size,) = struct.unpack("<I", texts[:4])
    predictions.append(texts[4 : 4 + size].decode())
    texts = texts[4 + size :]

lacking = pb.ModelInferRequest(model_name="flowers")
lacking.inputs.add(name="length", datatype="FP64", shape=[1]).contents.fp64_contents.append(1)
short = pb.ModelInferRequest(model_name="flowers")
short.inputs.add(name="length", datatype="FP64", shape=[2])
short.raw_input_contents.append(b"12345678")
model = call("ModelMetadata", pb.ModelMetadataRequest(name="flowers"))


def fact(parameter):
    if parameter.WhichOneof("parameter_choice") == "bool_param":
        return parameter.bool_param
    text = parameter.string_param
    return json.loads(text) if text[:1] in ("{", "[") else text


print(
    json.dumps(
        {
            "live": call("ServerLive", pb.ServerLiveRequest(), None).live,
            "ready": call("ServerReady", pb.ServerReadyRequest(), None).ready,
            "model_ready": call("ModelReady", pb.ModelReadyRequest(name="flowers")).ready,
            "other_ready": call("ModelReady", pb.ModelReadyRequest(name="other")).ready,
            "server": call("ServerMetadata", pb.ServerMetadataRequest()).name,
            "model": {
                "name": model.name,
                "versions": list(model.versions),
                "inputs": [tensor.name for tensor in model.inputs],
                "parameters": {name: fact(value) for name, value in model.parameters.items()},
            },
            "typed": {
                "id": answer.id,
                "predictions": [text.decode() for text in answer.outputs[0].contents.bytes_contents],
                "probabilities": list(answer.outputs[1].contents.fp64_contents),
            },
            "raw": {
                "predictions": predictions,
                "probabilities": list(struct.unpack(f"<{2 * count}d", probabilities)),
            },
            "faults": {
                "unknown_model": fault(pb.ModelInferRequest(model_name="none")),
                "missing_column": fault(lacking),
                "short_contents": fault(short),
                "no_token": fault(typed, None),
            },
        }
    )
)
