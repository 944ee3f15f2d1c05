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

describe('what is taken', () => {
  it('is the request, rebuilt', () => {
    expect(parsed(encoded(url))).toEqual({
      presigned: { url, accessKeyId: 'AKIDEXAMPLEEXAMPLE', signed: start },
    });
  });

  it.each([
    'sts.amazonaws.com',
    'sts.us-west-2.amazonaws.com',
    'sts.us-west-2.api.aws',
    'sts-fips.us-west-2.amazonaws.com',
  ])('leads to %s', (host) => {
    const region = host === 'sts.amazonaws.com' ? 'us-east-1' : 'us-west-2';
    expect(parsed(encoded(urlOf(parametersAt(start, region), host)))).toHaveProperty('presigned');
  });

  it.each([
    { rule: 'until a quarter of an hour after it was signed', now: start + 15 * 60_000 },
    { rule: 'with a clock that is a little behind', now: start - 5 * 60_000 },
  ])('is taken $rule', ({ now }) => expect(parsed(encoded(url), now)).toHaveProperty('presigned'));

  it('may be of a session', () => {
    expect(parsed(changed({ 'X-Amz-Security-Token': 'IQoJb3JpZ2luX2VjE+/x==' }))).toHaveProperty('presigned');
  });
});

const raw = (text: string) => `k8s-aws-v1.${Buffer.from(text, 'latin1').toString('base64url')}`;

describe('what is refused', () => {
  it.each([
    { rule: 'nothing', token: '' },
    { rule: 'the prefix alone', token: 'k8s-aws-v1.' },
    { rule: 'another prefix', token: encoded(url).replace('v1', 'v2') },
    { rule: 'padding', token: `${encoded(url)}=` },
    { rule: 'the other base64', token: `k8s-aws-v1.${Buffer.from(`${url}>>>???`).toString('base64')}` },
    { rule: 'white space in it', token: `${encoded(url).slice(0, 40)} ${encoded(url).slice(40)}` },
    { rule: 'bits left over', token: `${raw('https://a')}`.replace(/.$/, '_') },
    { rule: 'length', token: encoded(`${url}${'a'.repeat(4000)}`) },
    { rule: 'a zero byte', token: raw(`${url}\0`) },
    { rule: 'a line break', token: raw(`${url}\r\nx: y`) },
    { rule: 'a byte beyond ASCII', token: raw(url.replace('Action', '\xc3ction')) },
    { rule: 'http', token: raw(url.replace('https:', 'http:')) },
    { rule: 'a scheme in capitals', token: raw(url.replace('https:', 'HTTPS:')) },
    { rule: 'another scheme', token: raw(url.replace('https:', 'file:')) },
    { rule: 'a port', token: raw(url.replace('.com/', '.com:8443/')) },
    { rule: 'a user', token: raw(url.replace('//', '//sts@')) },
    { rule: 'a user that looks like the host', token: raw(url.replace('.com/', '.com@evil.example/')) },
    { rule: 'a backslash', token: raw(url.replace('.com/', '.com\\@evil.example/')) },
    { rule: 'a path', token: raw(url.replace('/?', '/x?')) },
    { rule: 'no path', token: raw(url.replace('/?', '?')) },
    { rule: 'a path that goes up', token: raw(url.replace('/?', '/../?')) },
    { rule: 'two slashes', token: raw(url.replace('/?', '//?')) },
    { rule: 'a fragment', token: raw(`${url}#x`) },
    { rule: 'a second question', token: raw(`${url}?x=y`) },
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

  it('for another region than it is signed for', () => {
    expect(parsed(encoded(urlOf(good, 'sts.us-west-2.amazonaws.com')))).toHaveProperty('refused');
    expect(parsed(encoded(urlOf(good, 'sts.amazonaws.com')))).toHaveProperty('refused');
  });

  it.each<{ rule: string; change: Parameters }>([
    { rule: 'another action', change: { Action: 'AssumeRole' } },
    { rule: 'an action in small letters', change: { Action: 'getcalleridentity' } },
    { rule: 'another version', change: { Version: '2011-06-16' } },
    { rule: 'another algorithm', change: { 'X-Amz-Algorithm': 'AWS4-ECDSA-P256-SHA256' } },
    {
      rule: 'another service',
      change: { 'X-Amz-Credential': 'AKIDEXAMPLEEXAMPLE/20260102/eu-central-1/iam/aws4_request' },
    },
    {
      rule: 'another day',
      change: { 'X-Amz-Credential': 'AKIDEXAMPLEEXAMPLE/20260101/eu-central-1/sts/aws4_request' },
    },
    {
      rule: 'a credential with more to it',
      change: { 'X-Amz-Credential': 'A/B/20260102/eu-central-1/sts/aws4_request' },
    },
    { rule: 'a long expiry', change: { 'X-Amz-Expires': '901' } },
    { rule: 'a negative expiry', change: { 'X-Amz-Expires': '-1' } },
    { rule: 'an expiry that is no number', change: { 'X-Amz-Expires': '6e1' } },
    { rule: 'the cluster not signed', change: { 'X-Amz-SignedHeaders': 'host' } },
    { rule: 'more signed', change: { 'X-Amz-SignedHeaders': 'host;x-amz-target;x-k8s-aws-id' } },
    { rule: 'a day that there is not', change: { 'X-Amz-Date': '20260230T030405Z' } },
    { rule: 'an hour that there is not', change: { 'X-Amz-Date': '20260102T240405Z' } },
    { rule: 'a date of another form', change: { 'X-Amz-Date': '2026-01-02T03:04:05Z' } },
    { rule: 'a token of a session with a blank', change: { 'X-Amz-Security-Token': 'a b' } },
    { rule: 'an empty token of a session', change: { 'X-Amz-Security-Token': '' } },
    { rule: 'an unknown parameter', change: { RoleArn: 'arn:aws:iam::1:role/x' } },
    { rule: 'a parameter that every object has', change: Object.fromEntries([['constructor', 'x']]) },
    { rule: 'a known parameter in other letters', change: { action: 'GetCallerIdentity' } },
  ])('for $rule', ({ change }) => expect(parsed(changed(change))).toHaveProperty('refused'));

  it.each([...Object.keys(good), 'X-Amz-Signature'])('for a missing %s', (name) =>
    expect(parsed(without(name))).toHaveProperty('refused'));

  it.each([
    { rule: 'a parameter twice', query: '&Action=GetCallerIdentity' },
    { rule: 'a parameter without a value', query: '&X-Amz-Security-Token' },
    { rule: 'an empty parameter', query: '&' },
    { rule: 'a name in disguise', query: '&%41ction=AssumeRole' },
    { rule: 'a value that does not decode', query: '&X-Amz-Security-Token=%zz' },
    { rule: 'a value that ends in the middle', query: '&X-Amz-Security-Token=%' },
    { rule: 'a separator in disguise', query: ';Action=AssumeRole' },
  ])('for $rule', ({ query }) => expect(parsed(encoded(url + query))).toHaveProperty('refused'));

  it.each([
    { rule: 'age', now: start + 15 * 60_000 + 1 },
    { rule: 'coming from the future', now: start - 5 * 60_000 - 1 },
  ])('for $rule', ({ now }) => expect(parsed(encoded(url), now)).toHaveProperty('refused'));

  it('without saying any of it', () => {
    const signed = urlOf({ ...good, 'X-Amz-Security-Token': 'CANARY', Action: 'CANARY' });
    expect(JSON.stringify(parsed(encoded(signed)))).not.toContain('CANARY');
  });
});

it('stays within the partition of the installation', () => {
  expect([...stsHosts('cn-north-1').keys()]).toEqual([
    'sts.cn-north-1.amazonaws.com.cn',
    'sts.cn-northwest-1.amazonaws.com.cn',
  ]);
  expect(stsHosts('us-gov-west-1').has('sts.amazonaws.com')).toBe(false);
  expect(() => stsHosts('eu-nowhere-9')).toThrow('no partition');
});

it('writes times as they are signed', () => expect(stamp(start)).toBe('20260102T030405Z'));
