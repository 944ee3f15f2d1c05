/** What relying parties read to verify tokens of ServiceAccounts: the issuer's metadata, and its keys. */
import { algorithm, type SigningKeys } from './signing-keys.ts';

export const keysPath = '/openid/v1/jwks';

/** Seconds. */
const maxAge = 3600;

const publicResponse = (body: unknown, contentType: string): Response =>
  new Response(JSON.stringify(body), {
    headers: { 'Content-Type': contentType, 'Cache-Control': `public, max-age=${maxAge}` },
  });

/** `url`: of the API, as clients reach it. */
export const metadataDocument = (issuer: string, url: string): Response =>
  publicResponse(
    {
      issuer,
      jwks_uri: `${url}${keysPath}`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [algorithm],
    },
    'application/json',
  );

export const keysDocument = async (keys: Pick<SigningKeys, 'published' | 'signing'>): Promise<Response> => {
  // The first reader may come before the first token.
  if ((await keys.published()).length === 0) await keys.signing();
  const published = await keys.published();
  return publicResponse(
    {
      keys: published.map(({ id, jwk }) => ({ use: 'sig', kty: jwk.kty, kid: id, alg: algorithm, n: jwk.n, e: jwk.e })),
    },
    'application/jwk-set+json',
  );
};
