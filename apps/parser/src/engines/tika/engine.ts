import { AppError } from "@attune/service-kit/app-error.ts";
import { urlSetting } from "@attune/service-kit/load-config.ts";
import { address } from "../../overrides/override.ts";
import { createRemoteService } from "../create-remote-service.ts";
import { defineEngine } from "../engine.ts";
import { readIntermediate } from "../read-intermediate.ts";

const name = "tika";

/** Apache Tika Server (https://cwiki.apache.org/confluence/display/TIKA/TikaServer): `PUT /tika` as HTML, `GET /version`. */
export const tika = defineEngine({
  name,
  description: "Apache Tika Server: the widest range of formats, with little structure",
  formats:
    "pdf doc docx rtf odt xls xlsx xlsb ods ppt pptx odp epub fb2 html xhtml mhtml eml msg mbox txt csv xml zip tar gz pages pages09 numbers numbers09 keynote keynote09 vsdx xps idml png jpeg tiff bmp gif webp".split(
      " ",
    ),
  rank: 50,
  settings: { PARSER_TIKA_URL: urlSetting("Address of a Tika server, for example http://tika:9998") },
  overrides: { tika_url: address("Address of the Tika server for this request.") },
  honours: { password: true },
  create: ({ settings, http, readIsolated, timeoutMs }) => {
    const service = createRemoteService(http, {
      engine: name,
      probePath: "/version",
      address: { override: "tika_url", setting: "PARSER_TIKA_URL", value: settings.PARSER_TIKA_URL },
    });
    return {
      probe: service.probe,
      parse: async (request, signal) => {
        const { source, options, values, clock } = request;
        const headers = {
          accept: "text/html",
          "content-type": "application/octet-stream",
          ...passwordHeader(options.read.password),
        };
        const call = { path: "/tika", method: "PUT", headers, body: await source.readBytes() } as const;
        const answer = await service.call(values, { ...call, timeoutMs: clock.leftMs(timeoutMs(options)) }, signal);
        const text = { bytes: answer.body, format: "html" } as const;
        return readIntermediate({ readIsolated, timeoutMs }, { text, request }, signal);
      },
    };
  },
});

// A value of a header is visible ASCII, with spaces inside only: https://www.rfc-editor.org/rfc/rfc9110#section-5.5
function passwordHeader(password: string | undefined): Readonly<Record<string, string>> {
  if (password === undefined) return {};
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(password)) return { password };
  throw new AppError("OVERRIDE_INVALID", { detail: `For ${name} \`password\` must be visible ASCII.` });
}
