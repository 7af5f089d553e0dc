import { lookup } from "node:dns";
import type { LookupAddress } from "node:dns";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { BlockList, isIP } from "node:net";
import type { LookupFunction } from "node:net";
import { signedHeaders } from "@agentflow/engine";
import type { DueDelivery, SendDelivery } from "@agentflow/engine";

/** How long a receiver may take; ms. */
const TIMEOUT_MS = 10_000;

export type SendOptions = {
  /** Loopback and private addresses may be sent to. */
  readonly allowPrivate: boolean;
  readonly nowMs: () => number;
  readonly timeoutMs?: number;
};

const PRIVATE_4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const;
/** Only what is global unicast may be sent to, and of that no address that wraps one of version 4. */
const PRIVATE_6 = [
  ["::", 3],
  ["2001::", 32],
  ["2002::", 16],
  ["4000::", 2],
  ["8000::", 1],
] as const;

// One list for both would take every address of version 4 for one that version 6 wraps.
const refused4 = new BlockList();
for (const [address, bits] of PRIVATE_4) refused4.addSubnet(address, bits, "ipv4");
const refused6 = new BlockList();
for (const [address, bits] of PRIVATE_6) refused6.addSubnet(address, bits, "ipv6");

/** Whether an IP address is one of this machine or of a private network. */
export function isPrivate(address: string): boolean {
  return isIP(address) === 6 ? refused6.check(address, "ipv6") : refused4.check(address, "ipv4");
}

const PRIVATE = "the address is loopback or private; AGENTFLOW_WEBHOOK_PRIVATE=1 allows that";

/** Looks a name up and connects to none but public addresses: what was checked is what is connected to. */
const publicLookup: LookupFunction = (name, options, answer) => {
  lookup(name, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    if (error !== null) return answer(error, "", 0);
    const allowed = addresses.filter(({ address }) => !isPrivate(address));
    const [first] = allowed;
    if (first === undefined) return answer(new Error(PRIVATE), "", 0);
    if (options.all) answer(null, allowed);
    else answer(null, first.address, first.family);
  });
};

/** Sends deliveries by POST: one try, no redirects, and of the answer the status only. */
export function createSender(options: SendOptions): SendDelivery {
  return async (delivery) => {
    try {
      const url = new URL(delivery.url);
      const host = url.hostname.replace(/^\[|\]$/g, "");
      if (!options.allowPrivate && isIP(host) !== 0 && isPrivate(host)) return PRIVATE;
      const status = await post(url, delivery, options);
      return status >= 200 && status < 300 ? null : `the receiver answered with status ${status}`;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
}

function post(
  url: URL,
  delivery: DueDelivery,
  { allowPrivate, nowMs, timeoutMs = TIMEOUT_MS }: SendOptions,
): Promise<number> {
  const body = Buffer.from(delivery.body);
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? httpsRequest : httpRequest;
    const asked = send(url, {
      method: "POST",
      agent: false,
      headers: {
        ...signedHeaders(delivery, nowMs()),
        "content-length": body.length,
        "user-agent": "AgentFlow-Webhooks",
      },
      ...(!allowPrivate && { lookup: publicLookup }),
    });
    // Counts from the beginning, however slowly the receiver trickles.
    const timer = setTimeout(() => {
      asked.destroy(new Error(`the receiver did not answer within ${timeoutMs} ms`));
    }, timeoutMs);
    asked.once("close", () => clearTimeout(timer));
    asked.once("error", reject);
    asked.once("response", (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    asked.end(body);
  });
}
