import { describe, expect, it } from 'vitest';
import { stsHosts } from './hosts.ts';
import { encoded, type Parameters, parametersAt, stamp, start, urlOf } from './identity.fixture.ts';
import { parsePresigned } from './presigned.ts';

const hosts = stsHosts('eu-central-1');
const parsed = (token: string, now = start) => parsePresigned(token, { hosts, now });
const good = parametersAt(start);
const url = urlOf(good);
const changed = (change: Parameters, host?: string) => encoded(urlOf({ ...good, ...change }, host));
const without = (name: string) => encoded(url.replace(new RegExp(`[&?]?${name}=[^&]*&?`), ''));

describe('a valid token', () => {
  it('is parsed into the request, which is rebuilt', () => {
    expect(parsed(encoded(url))).toEqual({
      presigned: { url, accessKeyId: 'AKIDEXAMPLEEXAMPLE', signed: start },
    });
  });

  it.each([
    'sts.amazonaws.com',
    'sts.us-west-2.amazonaws.com',
    'sts.us-west-2.api.aws',
    'sts-fips.us-west-2.amazonaws.com',
  ])('may be sent to %s', (host) => {
    const region = host === 'sts.amazonaws.com' ? 'us-east-1' : 'us-west-2';
    expect(parsed(encoded(urlOf(parametersAt(start, region), host)))).toHaveProperty('presigned');
  });

  it.each([
    { rule: 'until 15 minutes after it was signed', now: start + 15 * 60_000 },
    { rule: 'with a clock that is 5 minutes behind', now: start - 5 * 60_000 },
  ])('is accepted $rule', ({ now }) => expect(parsed(encoded(url), now)).toHaveProperty('presigned'));

  it('may use session credentials', () => {
    expect(parsed(changed({ 'X-Amz-Security-Token': 'IQoJb3JpZ2luX2VjE+/x==' }))).toHaveProperty('presigned');
  });
});

const raw = (text: string) => `k8s-aws-v1.${Buffer.from(text, 'latin1').toString('base64url')}`;

describe('a token is rejected', () => {
  it.each([
    { rule: 'empty text', token: '' },
    { rule: 'the prefix alone', token: 'k8s-aws-v1.' },
    { rule: 'another prefix', token: encoded(url).replace('v1', 'v2') },
    { rule: 'padding', token: `${encoded(url)}=` },
    { rule: 'standard base64', token: `k8s-aws-v1.${Buffer.from(`${url}>>>???`).toString('base64')}` },
    { rule: 'white space', token: `${encoded(url).slice(0, 40)} ${encoded(url).slice(40)}` },
    { rule: 'trailing bits', token: `${raw('https://a')}`.replace(/.$/, '_') },
    { rule: 'its length', token: encoded(`${url}${'a'.repeat(4000)}`) },
    { rule: 'a zero byte', token: raw(`${url}\0`) },
    { rule: 'a line break', token: raw(`${url}\r\nx: y`) },
    { rule: 'a byte outside ASCII', token: raw(url.replace('Action', '\xc3ction')) },
    { rule: 'http', token: raw(url.replace('https:', 'http:')) },
    { rule: 'a scheme in upper case', token: raw(url.replace('https:', 'HTTPS:')) },
    { rule: 'another scheme', token: raw(url.replace('https:', 'file:')) },
    { rule: 'a port', token: raw(url.replace('.com/', '.com:8443/')) },
    { rule: 'a user name', token: raw(url.replace('//', '//sts@')) },
    { rule: 'a user name that looks like the host', token: raw(url.replace('.com/', '.com@evil.example/')) },
    { rule: 'a backslash', token: raw(url.replace('.com/', '.com\\@evil.example/')) },
    { rule: 'a path', token: raw(url.replace('/?', '/x?')) },
    { rule: 'no path', token: raw(url.replace('/?', '?')) },
    { rule: 'a path that climbs up', token: raw(url.replace('/?', '/../?')) },
    { rule: 'two slashes', token: raw(url.replace('/?', '//?')) },
    { rule: 'a fragment', token: raw(`${url}#x`) },
    { rule: 'a second question mark', token: raw(`${url}?x=y`) },
    { rule: 'no query', token: raw('https://sts.eu-central-1.amazonaws.com/') },
  ])('for $rule', ({ token }) => expect(parsed(token)).toHaveProperty('refused'));

  it.each([
    'evil.example',
    'sts.amazonaws.com.evil.example',
    'sts.eu-central-1.amazonaws.com.evil.example',
    'evil-sts.eu-central-1.amazonaws.com',
    'sts.evil-central-1.amazonaws.com',
    'sts.amazonaws.com.',
    'STS.amazonaws.com',
    'sts.cn-north-1.amazonaws.com.cn',
    'sts.us-gov-west-1.amazonaws.com',
    'iam.amazonaws.com',
    'sts.eu-central-1.vpce.amazonaws.com',
    '169.254.169.254',
    '[::1]',
    'localhost',
    'constructor',
  ])('for the host %s', (host) => expect(parsed(raw(urlOf(good, host)))).toHaveProperty('refused'));

  it('for a region other than the one it is signed for', () => {
    expect(parsed(encoded(urlOf(good, 'sts.us-west-2.amazonaws.com')))).toHaveProperty('refused');
    expect(parsed(encoded(urlOf(good, 'sts.amazonaws.com')))).toHaveProperty('refused');
  });

  it.each<{ rule: string; change: Parameters }>([
    { rule: 'another action', change: { Action: 'AssumeRole' } },
    { rule: 'an action in lower case', change: { Action: 'getcalleridentity' } },
    { rule: 'another version', change: { Version: '2011-06-16' } },
    { rule: 'another algorithm', change: { 'X-Amz-Algorithm': 'AWS4-ECDSA-P256-SHA256' } },
    {
      rule: 'another service',
      change: { 'X-Amz-Credential': 'AKIDEXAMPLEEXAMPLE/20260102/eu-central-1/iam/aws4_request' },
    },
    {
      rule: 'a credential of another day',
      change: { 'X-Amz-Credential': 'AKIDEXAMPLEEXAMPLE/20260101/eu-central-1/sts/aws4_request' },
    },
    {
      rule: 'a credential with extra parts',
      change: { 'X-Amz-Credential': 'A/B/20260102/eu-central-1/sts/aws4_request' },
    },
    { rule: 'an expiry that is too long', change: { 'X-Amz-Expires': '901' } },
    { rule: 'a negative expiry', change: { 'X-Amz-Expires': '-1' } },
    { rule: 'an expiry that is not a decimal number', change: { 'X-Amz-Expires': '6e1' } },
    { rule: 'an unsigned cluster ID', change: { 'X-Amz-SignedHeaders': 'host' } },
    { rule: 'extra signed headers', change: { 'X-Amz-SignedHeaders': 'host;x-amz-target;x-k8s-aws-id' } },
    { rule: 'a day that does not exist', change: { 'X-Amz-Date': '20260230T030405Z' } },
    { rule: 'an hour that does not exist', change: { 'X-Amz-Date': '20260102T240405Z' } },
    { rule: 'another date format', change: { 'X-Amz-Date': '2026-01-02T03:04:05Z' } },
    { rule: 'a session token with a blank', change: { 'X-Amz-Security-Token': 'a b' } },
    { rule: 'an empty session token', change: { 'X-Amz-Security-Token': '' } },
    { rule: 'an unknown parameter', change: { RoleArn: 'arn:aws:iam::1:role/x' } },
    {
      rule: 'a parameter named like a property of every JavaScript object',
      change: Object.fromEntries([['constructor', 'x']]),
    },
    { rule: 'a known parameter in other case', change: { action: 'GetCallerIdentity' } },
  ])('for $rule', ({ change }) => expect(parsed(changed(change))).toHaveProperty('refused'));

  it.each([...Object.keys(good), 'X-Amz-Signature'])('for a missing %s', (name) =>
    expect(parsed(without(name))).toHaveProperty('refused'));

  it.each([
    { rule: 'a repeated parameter', query: '&Action=GetCallerIdentity' },
    { rule: 'a parameter without a value', query: '&X-Amz-Security-Token' },
    { rule: 'an empty parameter', query: '&' },
    { rule: 'a percent-encoded parameter name', query: '&%41ction=AssumeRole' },
    { rule: 'a value that does not decode', query: '&X-Amz-Security-Token=%zz' },
    { rule: 'a truncated percent encoding', query: '&X-Amz-Security-Token=%' },
    { rule: 'another separator', query: ';Action=AssumeRole' },
  ])('for $rule', ({ query }) => expect(parsed(encoded(url + query))).toHaveProperty('refused'));

  it.each([
    { rule: 'being expired', now: start + 15 * 60_000 + 1 },
    { rule: 'a date in the future', now: start - 5 * 60_000 - 1 },
  ])('for $rule', ({ now }) => expect(parsed(encoded(url), now)).toHaveProperty('refused'));

  it('without repeating any of it in the reason', () => {
    const signed = urlOf({ ...good, 'X-Amz-Security-Token': 'CANARY', Action: 'CANARY' });
    expect(JSON.stringify(parsed(encoded(signed)))).not.toContain('CANARY');
  });
});

it('accepts only hosts in the partition of the installation', () => {
  expect([...stsHosts('cn-north-1').keys()]).toEqual([
    'sts.cn-north-1.amazonaws.com.cn',
    'sts.cn-northwest-1.amazonaws.com.cn',
  ]);
  expect(stsHosts('us-gov-west-1').has('sts.amazonaws.com')).toBe(false);
  expect(() => stsHosts('eu-nowhere-9')).toThrow('no partition');
});

it('formats times as they are signed', () => expect(stamp(start)).toBe('20260102T030405Z'));
