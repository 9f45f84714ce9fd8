import { AppError } from "@attune/service-kit/app-error.ts";
import { textSetting } from "@attune/service-kit/load-config.ts";
import { address } from "../../overrides/override.ts";
import { defineEngine } from "../engine.ts";
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
  settings: { PARSER_TIKA_URL: textSetting("Address of a Tika server, for example http://tika:9998") },
  overrides: { tika_url: address("Address of the Tika server for this request.") },
  create: ({ settings, http, readIsolated, timeoutMs }) => ({
    probe: async (values, signal) => {
      const endpoint = findEndpoint(values["tika_url"], settings.PARSER_TIKA_URL);
      if (endpoint === undefined) {
        return { isAvailable: false, reason: "No address is known: set PARSER_TIKA_URL, or the override tika_url." };
      }
      return probeRemote(http, { engine: name, endpoint, path: "/version" }, signal);
    },
    parse: async ({ source, options, values }, signal) => {
      const endpoint = findEndpoint(values["tika_url"], settings.PARSER_TIKA_URL);
      if (endpoint === undefined) throw new AppError("ENGINE_UNAVAILABLE");
      const password = options.read.password;
      const headers = {
        accept: "text/html",
        "content-type": "application/octet-stream",
        // Header values are bytes: https://www.rfc-editor.org/rfc/rfc9110#section-5.5
        ...(password !== undefined && { password: Buffer.from(password).toString("latin1") }),
      };
      const body = await source.readBytes();
      const call = { engine: name, endpoint, path: "/tika", method: "PUT", headers, body } as const;
      const answer = await callRemote(http, { ...call, timeoutMs: timeoutMs(options) }, signal);
      const html = { bytes: answer.body, fileName: source.fileName, format: "html", charset: "utf-8" };
      return readIsolated(html, options, signal);
    },
  }),
});
