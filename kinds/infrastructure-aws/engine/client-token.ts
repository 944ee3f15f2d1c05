/** What EC2's refusal of a call says about the client token that the call carried. */
import { isThrottled } from '../../ports/cloud-limits.ts';

/** The token belongs to a different request or to a terminated instance: it creates nothing any more. */
export const isSpentToken = (code: string): boolean => code.startsWith('Idempotent');

/** The only instance that the token ever stood for is gone. */
export const isTokenOfTerminated = (code: string): boolean => code === 'IdempotentInstanceTerminated';

/** EC2 checks this before the token, so an earlier call with it may have succeeded. */
export const saysNothingOfToken = (code: string): boolean =>
  isThrottled(code) ||
  /AccessDenied|Unauthorized|AuthFailure|Expired|OptInRequired|Signature|UnknownEndpoint/.test(code);
