import { expect, it } from 'vitest';
import { OutcomeUnknown, Refused, Throttled, TransactionRefused } from '../../../machinery/ports.ts';
import { translated } from './errors.ts';

const attempt = { action: 'dynamodb:PutItem', what: 'the table objects' };
const answered = (name: string, more: object = {}, httpStatusCode = 400) =>
  Object.assign(new Error(name), { name, $metadata: { httpStatusCode }, ...more });
const broken = (more: object) => Object.assign(new Error('broken'), more);
const cancelled = (...codes: string[]) =>
  answered('TransactionCanceledException', { CancellationReasons: codes.map((Code) => ({ Code })) });

it.each([
  { error: answered('ConditionalCheckFailedException'), write: Refused },
  { error: answered('ProvisionedThroughputExceededException'), write: Throttled },
  { error: answered('ThrottlingException'), write: Throttled },
  { error: answered('RequestLimitExceeded'), write: Throttled },
  { error: answered('TransactionConflictException'), write: Throttled },
  { error: answered('TransactionInProgressException'), write: Throttled },
  { error: answered('ReplicatedWriteConflictException'), write: Throttled },
  { error: cancelled('None', 'ConditionalCheckFailed'), write: TransactionRefused },
  { error: cancelled('TransactionConflict', 'ConditionalCheckFailed'), write: TransactionRefused },
  { error: cancelled('None', 'TransactionConflict'), write: Throttled },
  { error: cancelled('ProvisionedThroughputExceeded'), write: Throttled },
  { error: cancelled('ThrottlingError', 'None'), write: Throttled },
])('$error.message means $write.name, for a read as for a write', ({ error, write }) => {
  expect(translated(error, true, attempt)).toBeInstanceOf(write);
  expect(translated(error, false, attempt)).toBeInstanceOf(write);
});

it.each([
  { rule: 'the service failed', error: answered('InternalServerError', {}, 500) },
  { rule: 'the service was unavailable', error: answered('ServiceUnavailable', {}, 503) },
  { rule: 'the connection broke', error: broken({ code: 'ECONNRESET' }) },
  { rule: 'the request could not be sent', error: broken({ code: 'EPIPE' }) },
  { rule: 'the connection timed out', error: broken({ code: 'ETIMEDOUT' }) },
  { rule: 'the request timed out', error: broken({ name: 'TimeoutError' }) },
  { rule: 'the request was aborted', error: broken({ name: 'AbortError' }) },
])('a write has an unknown outcome and a read is retried when $rule', ({ error }) => {
  expect(translated(error, true, attempt)).toBeInstanceOf(OutcomeUnknown);
  expect(translated(error, false, attempt)).toBeInstanceOf(Throttled);
});

it.each([
  { rule: 'the request is wrong', error: answered('ValidationException') },
  { rule: 'a transaction token was reused for other writes', error: answered('IdempotentParameterMismatchException') },
  { rule: 'a transaction is invalid', error: cancelled('ValidationError') },
  { rule: 'an item collection is full', error: cancelled('ItemCollectionSizeLimitExceeded') },
  { rule: 'the error is a programming error', error: new TypeError('x is not a function') },
])('an error passes through unchanged when $rule: nothing was written, and a retry cannot help', ({ error }) => {
  expect(translated(error, true, attempt)).toBe(error);
  expect(translated(error, false, attempt)).toBe(error);
});

it.each([
  { code: 'ResourceNotFoundException', error: answered('ResourceNotFoundException'), says: 'deploy it again' },
  { code: 'AccessDeniedException', error: answered('AccessDeniedException'), says: 'allow it to the role' },
  { code: 'ExpiredTokenException', error: answered('ExpiredTokenException'), says: 'log in again' },
  { code: 'UnrecognizedClientException', error: answered('UnrecognizedClientException'), says: 'check them' },
  { code: 'KMSInvalidStateException', error: answered('KMSInvalidStateException'), says: 'enable it' },
  { code: 'NoCredentials', error: broken({ name: 'CredentialsProviderError' }), says: 'log in' },
  { code: 'Unreachable', error: broken({ code: 'ECONNREFUSED' }), says: '(ECONNREFUSED)' },
  { code: 'Unreachable', error: broken({ code: 'ENOTFOUND' }), says: '(ENOTFOUND)' },
])('$code writes nothing and says what to do', ({ code, error, says }) => {
  for (const wrote of [true, false]) {
    const translation = translated(error, wrote, attempt);
    expect(translation).toMatchObject({ code, consequence: 'retry', message: expect.stringContaining(says) });
    expect((translation as Error).message).toContain('the table objects');
  }
});

it('returns the stored item when a condition failed', () => {
  const Item = { pk: { S: 'p' }, sk: { S: '#0000000000000007' }, n: { N: '1' } };
  expect(translated(answered('ConditionalCheckFailedException', { Item }), true, attempt)).toMatchObject({
    item: { pk: 'p', sk: 7, n: 1 },
  });
  expect(translated(answered('ConditionalCheckFailedException'), true, attempt)).toMatchObject({ item: undefined });
});

it('names the conditions that failed in a transaction', () => {
  expect(translated(cancelled('None', 'ConditionalCheckFailed', 'None'), true, attempt)).toMatchObject({
    refused: [false, true, false],
  });
});
