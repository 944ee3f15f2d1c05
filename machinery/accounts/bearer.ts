/** Tells requests with tokens of ServiceAccounts from others, without verifying one. */
import { accountNamed } from '../api/service-account.ts';

const bearer = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i;

/** Whether a token asserts that it is of a ServiceAccount, of this installation or another one. */
export const isAccountToken = (token: string): boolean => {
  try {
    const { sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sub?: unknown };
    return typeof sub === 'string' && accountNamed(sub) !== undefined;
  } catch {
    return false;
  }
};

/** The token of a request that may be one of a ServiceAccount. */
export const accountTokenOf = (request: Request): string | undefined => {
  const token = bearer.exec(request.headers.get('authorization') ?? '')?.[1];
  return token !== undefined && isAccountToken(token) ? token : undefined;
};
