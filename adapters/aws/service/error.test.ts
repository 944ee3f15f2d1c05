import { expect, it } from 'vitest';
import { ServiceError, translated } from './error.ts';

const attempt = { action: 'kms:Decrypt', what: 'the KMS key k' };
const answered = (name: string, httpStatusCode = 400) => ({
  name,
  message: 'AWS’s words',
  $metadata: { httpStatusCode },
});

it.each([
  {
    error: answered('AccessDeniedException'),
    code: 'AccessDeniedException',
    says: 'deny it (AccessDeniedException: AWS’s words)',
  },
  {
    error: { ...answered('AccessDenied'), message: 'Access Denied because object protected by object lock.' },
    code: 'AccessDenied',
    says: 'before the lock ends (AccessDenied: Access Denied because object protected by object lock)',
  },
  { error: answered('NotFoundException'), code: 'NotFoundException', says: 'deployed in part' },
  { error: answered('DisabledException'), code: 'DisabledException', says: 'enable it, nothing is lost' },
  { error: answered('ThrottlingException'), code: 'ThrottlingException', says: 'asked too often' },
  { error: answered('ExpiredTokenException'), code: 'ExpiredTokenException', says: 'log in again' },
  { error: answered('UnrecognizedClientException'), code: 'UnrecognizedClientException', says: 'check them' },
  { error: answered('InternalFailure', 500), code: 'InternalFailure', says: 'failed with status 500' },
  { error: answered('Odd'), code: 'Odd', says: 'Odd: AWS’s words' },
  { error: { name: 'CredentialsProviderError', message: 'x' }, code: 'NoCredentials', says: 'log in' },
  { error: { name: 'Error', code: 'ECONNREFUSED', message: 'x' }, code: 'Unreachable', says: '(ECONNREFUSED)' },
  { error: { name: 'TimeoutError', message: 'x' }, code: 'Unreachable', says: '(TimeoutError)' },
  { error: { name: 'SyntaxError', message: 'x' }, code: 'Unreadable', says: 'cannot be used' },
  { error: undefined, code: 'Unreadable', says: 'cannot be used' },
])('$code says what to do', ({ error, code, says }) => {
  const translation = translated(error, attempt);
  expect(translation).toBeInstanceOf(ServiceError);
  expect(translation).toMatchObject({ code, consequence: 'retry', message: expect.stringContaining(says) });
  expect(translation.message).toContain('the KMS key k');
});
