import { AppError } from "@attune/service-kit/app-error.ts";
import { urlSetting } from "@attune/service-kit/load-config.ts";
import { address } from "../../overrides/override.ts";
import { defineEngine } from "../engine.ts";
import { readIntermediate } from "../read-intermediate.ts";
import { callRemote, findEndpoint, probeRemote } from "../remote-service.ts";

const name = "tika";

/** Apache Tika Server (https://cwiki.apache.org/confluence/display/TIKA/TikaServer): `PUT /tika` as HTML, `GET /version`. */
export const tika = defineEngine({
  name,
  description: "Apache Tika Server: the widest range of formats, with little structure",
  formats:
    "pdf doc docx rtf odt xls xlsx xlsb ods ppt pptx odp epub fb2 html xhtml mhtml eml msg mbox txt csv xml zip tar gz iwork vsdx xps idml png jpeg tiff bmp gif webp".split(
      " ",
    ),
  rank: 50,
  settings: { PARSER_TIKA_URL: urlSetting("Address of a Tika server, for example http://tika:9998") },
  overrides: { tika_url: address("Address of the Tika server for this request.") },
  honours: { password: true },
  create: ({ settings, http, readIsolated, timeoutMs }) => ({
    probe: async (values, signal) => {
      const endpoint = findEndpoint(values["tika_url"], settings.PARSER_TIKA_URL);
      if (endpoint === undefined) {
        return { isAvailable: false, reason: "No address is known: set PARSER_TIKA_URL, or the override tika_url." };
      }
      return probeRemote(http, { engine: name, endpoint, path: "/version" }, signal);
    },
    parse: async (request, signal) => {
      const { source, options, values, clock } = request;
      const endpoint = findEndpoint(values["tika_url"], settings.PARSER_TIKA_URL);
      if (endpoint === undefined) throw new AppError("ENGINE_UNAVAILABLE");
      const headers = {
        accept: "text/html",
        "content-type": "application/octet-stream",
        ...passwordHeader(options.read.password),
      };
      const body = await source.readBytes();
      const call = { engine: name, endpoint, path: "/tika", method: "PUT", headers, body } as const;
      const answer = await callRemote(http, { ...call, timeoutMs: clock.leftMs(timeoutMs(options)) }, signal);
      const text = { bytes: answer.body, format: "html" } as const;
      return readIntermediate({ readIsolated, timeoutMs }, { text, request }, signal);
    },
  }),
});

// A value of a header is visible ASCII, with spaces inside only: https://www.rfc-editor.org/rfc/rfc9110#section-5.5
function passwordHeader(password: string | undefined): Readonly<Record<string, string>> {
  if (password === undefined) return {};
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(password)) return { password };
  throw new AppError("OVERRIDE_INVALID", { detail: `For ${name} \`password\` must be visible ASCII.` });
}
