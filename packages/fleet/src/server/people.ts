// People who come with a token of their organisation (OpenID Connect): read, and administration for those of a named group.
import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload } from "jose";
import { Refusal } from "../refusal.ts";
import type { Holder } from "../store/tokens.ts";

export interface Issuer {
  url: string;
  audience: string;
  /** Who has this in the claim `groups` or `roles` administers; nobody else does. */
  admins?: string;
}

export type People = (token: string) => Promise<Holder>;

export function peopleOf({ url, audience, admins }: Issuer): People {
  let keys: ReturnType<typeof createRemoteJWKSet> | undefined;
  const discovered = async () => {
    const response = await fetch(`${url.replace(/\/$/, "")}/.well-known/openid-configuration`, { signal: AbortSignal.timeout(10_000) });
    const { jwks_uri: place } = (await response.json()) as { jwks_uri: string };
    return createRemoteJWKSet(new URL(place));
  };
  return async (token) => {
    try {
      keys ??= await discovered();
      // The algorithms that use a public key: with others, whoever knows that key could make tokens.
      const { payload } = await jwtVerify(token, keys, {
        issuer: url,
        audience,
        algorithms: ["RS256", "PS256", "ES256", "EdDSA"],
        requiredClaims: ["exp", "sub"],
      });
      return { who: nameOf(payload), scope: admins !== undefined && groupsOf(payload).includes(admins) ? "admin" : "read", nodes: "" };
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw new Refusal(401, "this token expired");
      if (error instanceof errors.JOSEError && !isIssuers(error))
        throw new Refusal(401, "this token is not one of the issuer's for this fleet");
      throw error;
    }
  };
}

/** The issuer's keys did not come, or are none: that says nothing about the token. */
const isIssuers = (error: errors.JOSEError): boolean =>
  error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid || error.code === "ERR_JOSE_GENERIC";

const nameOf = ({ email, sub }: JWTPayload): string => (typeof email === "string" ? email : (sub ?? "somebody")).slice(0, 200);
const groupsOf = (payload: JWTPayload): unknown[] => [payload["groups"], payload["roles"]].flat();
