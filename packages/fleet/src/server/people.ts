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

/** An issuer that is away is not asked again by every request. */
const restAfterFailure = 5000;

export function peopleOf({ url, audience, admins }: Issuer): People {
  const bare = (address: string) => address.replace(/\/$/, "");
  const discover = async () => {
    const response = await fetch(`${bare(url)}/.well-known/openid-configuration`, { signal: AbortSignal.timeout(10_000) });
    const { jwks_uri: place, issuer } = (await response.json()) as { jwks_uri: string; issuer?: string };
    // Some call themselves with a slash at the end, and say so in every token.
    const name = issuer !== undefined && bare(issuer) === bare(url) ? issuer : url;
    return { keys: createRemoteJWKSet(new URL(place)), name };
  };
  let found: ReturnType<typeof discover> | undefined;
  const discovered = async () => {
    found ??= discover().catch((error: unknown) => {
      setTimeout(() => (found = undefined), restAfterFailure).unref();
      throw error;
    });
    return found;
  };
  return async (token) => {
    try {
      const { keys, name } = await discovered();
      // The algorithms that use a public key: with others, whoever knows that key could make tokens.
      const { payload } = await jwtVerify(token, keys, {
        issuer: name,
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
