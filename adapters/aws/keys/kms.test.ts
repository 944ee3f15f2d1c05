import { KMSClient } from '@aws-sdk/client-kms';
import { beforeEach, describe, expect, it } from 'vitest';
import { virtualClock } from '../../memory/virtual-clock.ts';
import { type Answer, answering, refusing, type Sent } from '../service/answers.fixture.ts';
import { kmsKeys } from './kms.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const wrapped = (name: string) => Buffer.from(`wrapped ${name}`);

let sent: Sent[];
let answer: (request: Sent) => Answer;
const clock = virtualClock(Date.UTC(2026, 0, 1));
const open = (mostCached?: number) => {
  const answered = answering((request) => answer(request));
  sent = answered.sent;
  return kmsKeys({
    client: new KMSClient(answered.config),
    keyId: 'alias/k',
    clock,
    ...(mostCached && { mostCached }),
  });
};

beforeEach(() => {
  answer = ({ operation, body }) => {
    if (operation === 'GenerateDataKey')
      return { body: { Plaintext: base64('new'), CiphertextBlob: base64('wrapped') } };
    const name = Buffer.from(String(body.CiphertextBlob), 'base64').toString().replace('wrapped ', '');
    return { body: { Plaintext: base64(`${name} of ${JSON.stringify(body.EncryptionContext)}`) } };
  };
});

it('requests a 256-bit data key under the encryption context', async () => {
  const made = await open().dataKey({ namespace: 'team' });
  expect([text(made.key), text(made.wrapped)]).toEqual(['new', 'wrapped']);
  expect(sent[0]).toMatchObject({
    operation: 'GenerateDataKey',
    body: { KeyId: 'alias/k', KeySpec: 'AES_256', EncryptionContext: { namespace: 'team' } },
  });
});

describe('an unwrapped key', () => {
  it('is requested once for concurrent callers and kept for an hour', async () => {
    const keys = open();
    const all = await Promise.all([1, 2, 3].map(() => keys.unwrap(wrapped('a'), { n: 'x' })));
    expect(all.map(text)).toEqual(Array(3).fill('a of {"n":"x"}'));
    await clock.advance(59 * 60_000);
    await keys.unwrap(wrapped('a'), { n: 'x' });
    expect(sent).toHaveLength(1);
    await clock.advance(2 * 60_000);
    await keys.unwrap(wrapped('a'), { n: 'x' });
    expect(sent).toHaveLength(2);
  });

  it('is cached per encryption context, whatever the order of its entries', async () => {
    const keys = open();
    await keys.unwrap(wrapped('a'), { n: 'x', m: 'y' });
    await keys.unwrap(wrapped('a'), { m: 'y', n: 'x' });
    expect(sent).toHaveLength(1);
    expect(text(await keys.unwrap(wrapped('a'), { n: 'y', m: 'x' }))).toBe('a of {"n":"y","m":"x"}');
  });

  it('is copied, so a caller cannot change the cached bytes', async () => {
    const keys = open();
    (await keys.unwrap(wrapped('a'), {})).fill(0);
    expect(text(await keys.unwrap(wrapped('a'), {}))).toBe('a of {}');
  });

  it('is evicted when the cache is full', async () => {
    const keys = open(2);
    for (const name of ['a', 'b', 'c', 'c', 'b', 'a']) await keys.unwrap(wrapped(name), {});
    expect(sent).toHaveLength(4);
  });
});

it.each([
  { is: 'DisabledException', says: 'enable it' },
  { is: 'KMSInvalidStateException', says: 'enable it' },
  { is: 'NotFoundException', says: 'deploy it again' },
  { is: 'AccessDeniedException', says: 'allow it' },
  { is: 'InvalidCiphertextException', says: 'did not wrap this data key', isOfDataKey: true },
  { is: 'ThrottlingException', says: 'too often' },
])('$is says what to do and is not cached', async ({ is, says, isOfDataKey = false }) => {
  const keys = open();
  const works = answer;
  answer = () => refusing(is);
  const refused = {
    code: is,
    message: expect.stringContaining(says),
    ...(!isOfDataKey && { consequence: 'retry' }),
  };
  await expect(keys.unwrap(wrapped('a'), {})).rejects.toMatchObject(refused);
  await expect(keys.dataKey({})).rejects.toMatchObject(refused);
  answer = works;
  expect(text(await keys.unwrap(wrapped('a'), {}))).toBe('a of {}');
});
