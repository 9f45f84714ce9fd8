"""Calls every method of the service from Python with code that grpc_tools generates, and prints what came back as JSON.

Usage: client.py ADDRESS REQUESTS.json [--ca FILE --cert FILE --key FILE] [--token TOKEN]
REQUESTS.json is a list of ParseRequests as objects.
"""

import argparse
import json
import pathlib
import sys
import tempfile

import grpc
from grpc_tools import protoc

HERE = pathlib.Path(__file__).parent


def generate(folder):
    """Generates the client's modules from the typed-in proto and imports them."""
    arguments = ["protoc", f"-I{HERE}", f"--python_out={folder}", f"--grpc_python_out={folder}", "docparser_from_tables.proto"]
    if protoc.main(arguments) != 0:
        sys.exit("protoc failed")
    sys.path.insert(0, folder)
    import docparser_from_tables_pb2 as messages
    import docparser_from_tables_pb2_grpc as services

    return messages, services


def connect(options):
    size = [("grpc.max_receive_message_length", 1 << 28), ("grpc.max_send_message_length", 1 << 28)]
    if options.ca is None:
        return grpc.insecure_channel(options.address, size)
    read = lambda path: None if path is None else pathlib.Path(path).read_bytes()
    credentials = grpc.ssl_channel_credentials(read(options.ca), read(options.key), read(options.cert))
    return grpc.secure_channel(options.address, credentials, size + [("grpc.ssl_target_name_override", "localhost")])


def check_health(channel, metadata):
    from grpc_health.v1 import health_pb2, health_pb2_grpc

    stub = health_pb2_grpc.HealthStub(channel)
    status = stub.Check(health_pb2.HealthCheckRequest(service="docparser.DocumentParser"), timeout=10)
    return health_pb2.HealthCheckResponse.ServingStatus.Name(status.status)


def reflect(channel, metadata):
    from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

    stub = reflection_pb2_grpc.ServerReflectionStub(channel)
    request = reflection_pb2.ServerReflectionRequest(list_services="")
    answers = stub.ServerReflectionInfo(iter([request]), metadata=metadata, timeout=10)
    return [service.name for answer in answers for service in answer.list_services_response.service]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("requests")
    for name in ("--ca", "--cert", "--key", "--token"):
        parser.add_argument(name)
    options = parser.parse_args()
    metadata = [] if options.token is None else [("authorization", f"Bearer {options.token}")]
    with tempfile.TemporaryDirectory() as folder, connect(options) as channel:
        messages, services = generate(folder)
        stub = services.DocumentParserStub(channel)
        parses = []
        for request in json.loads(pathlib.Path(options.requests).read_text()):
            answer = stub.ParseDocument(messages.ParseRequest(**request), metadata=metadata, timeout=60)
            parses.append({field.name: getattr(answer, field.name) for field in answer.DESCRIPTOR.fields})
        formats = stub.GetSupportedFormats(messages.Empty(), metadata=metadata, timeout=10)
        engines = stub.GetEngines(messages.Empty(), metadata=metadata, timeout=10)
        result = {
            "parses": parses,
            "file_types": list(formats.file_types),
            "descriptions": dict(formats.file_type_descriptions),
            "engines": [
                {"name": engine.name, "available": engine.available, "reason": engine.unavailable_reason}
                for engine in engines.engines
            ],
            "health": check_health(channel, metadata),
            "services": reflect(channel, metadata),
        }
    json.dump(result, sys.stdout)


main()
