import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { type FakeAws, identity, openAws, stacks } from './aws/aws.fixture.ts';
import { serverCertificate } from './certificate.fixture.ts';
import type { Entry } from './kubeconfig.ts';
import { type LoginOptions, login as loginTrying, tryEntry } from './login.ts';

const url = 'https://x.execute-api.eu-central-1.amazonaws.com/v1';
const outputs = { Url: url, ClusterId: 'capstan.111122223333.eu-central-1' };

const login = (options: LoginOptions, path: string) => loginTrying(options, path, async () => 'it answers');

let aws: FakeAws;
let directory: string;
let kubeconfig: string;
beforeEach(async () => {
  aws = await openAws();
  aws.answers.GetCallerIdentity = identity();
  aws.answers.DescribeStacks = stacks({ outputs });
  directory = mkdtempSync(join(tmpdir(), 'capstan-login-'));
  kubeconfig = join(directory, 'config');
  for (const name of [
    'AWS_PROFILE',
    'AWS_REGION',
    'AWS_DEFAULT_REGION',
    'AWS_ENDPOINT_URL_STS',
    'AWS_ENDPOINT_URL_CLOUDFORMATION',
  ])
    vi.stubEnv(name, undefined);
  vi.stubEnv('AWS_CONFIG_FILE', join(directory, 'aws-config'));
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/dev/null');
  vi.stubEnv('AWS_ENDPOINT_URL', aws.endpoint);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  writeFileSync(
    join(directory, 'aws-config'),
    '[profile dev]\nregion = eu-west-1\naws_access_key_id = A\naws_secret_access_key = b\n',
  );
});
afterEach(async () => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true, force: true });
  await aws.close();
});

const region = 'eu-central-1';
const written = () => {
  const { clusters, users, contexts, 'current-context': current } = parse(readFileSync(kubeconfig, 'utf8'));
  const { command, args } = users[0].user.exec;
  return {
    current,
    cluster: clusters[0].cluster,
    context: contexts[0].context,
    command,
    args: args.slice(1),
    main: args[0],
  };
};

describe('login', () => {
  it('reads the API endpoint and the token audience from the stack', async () => {
    expect(await login({ region }, kubeconfig)).toContain('capstan.eu-central-1');
    const { current, cluster, command, main, args } = written();
    expect([current, cluster]).toEqual(['capstan.eu-central-1', { server: url }]);
    expect(args).toEqual(['token', '--cluster-id', outputs.ClusterId, '--region', region]);
    for (const path of [command, main]) expect(path).toMatch(/^\//);
    expect(aws.asked.map(({ Action, StackName }) => StackName ?? Action)).toEqual([
      'GetCallerIdentity',
      'Capstan-capstan',
    ]);
  });

  it.each<{ rule: string; options: LoginOptions; name: string; asks: number }>([
    {
      rule: 'names the context after the installation',
      options: { region, installation: 'blue' },
      name: 'blue.eu-central-1',
      asks: 2,
    },
    {
      rule: 'takes the region from the URL',
      options: { url, clusterId: 'c' },
      name: 'capstan.eu-central-1',
      asks: 0,
    },
    { rule: 'takes the region from the profile', options: { profile: 'dev' }, name: 'capstan.eu-west-1', asks: 2 },
    {
      rule: 'calls no AWS API when all options are given',
      options: { url, clusterId: 'c', region },
      name: 'capstan.eu-central-1',
      asks: 0,
    },
  ])('$rule', async ({ options, name, asks }) => {
    await login(options, kubeconfig);
    expect([written().current, aws.asked.length]).toEqual([name, asks]);
  });

  it('configures tokens with the given profile', async () => {
    await login({ profile: 'dev', region }, kubeconfig);
    expect(written().args.slice(-2)).toEqual(['--profile', 'dev']);
  });

  it('configures tokens with the keys of the environment where those take precedence over a profile', async () => {
    vi.stubEnv('AWS_PROFILE', 'dev');
    await login({ region }, kubeconfig);
    expect(written().args).not.toContain('--profile');
    expect(process.env.AWS_PROFILE).toBeUndefined();
  });

  it('embeds the certificate authority of an emulator', async () => {
    const file = join(directory, 'ca.pem');
    writeFileSync(file, '-----BEGIN CERTIFICATE-----\n');
    await login({ region, url: 'https://127.0.0.1:8443/', certificateAuthority: file }, kubeconfig);
    expect(written().cluster).toEqual({
      server: 'https://127.0.0.1:8443',
      'certificate-authority-data': Buffer.from('-----BEGIN CERTIFICATE-----\n').toString('base64'),
    });
  });

  it.each<{ what: string; options?: LoginOptions; answers?: FakeAws['answers']; says: RegExp }>([
    {
      what: 'the stack does not exist',
      answers: { DescribeStacks: { code: 'ValidationError', message: 'Stack with id Capstan-capstan does not exist' } },
      says: /no installation capstan in eu-central-1 of account 111122223333: .*--region.*deploy/,
    },
    {
      what: 'the stack is incomplete',
      answers: { DescribeStacks: stacks({ status: 'ROLLBACK_COMPLETE' }) },
      says: /is ROLLBACK_COMPLETE .*deploy/,
    },
    {
      what: 'the caller may not describe the stack',
      answers: { DescribeStacks: { code: 'AccessDenied', status: 403 } },
      says: /may not cloudformation:DescribeStacks/,
    },
    {
      what: 'the credentials are wrong',
      answers: { GetCallerIdentity: { code: 'InvalidClientTokenId', status: 403 } },
      says: /does not know the access key/,
    },
    {
      what: 'the URL is not https',
      options: { region, url: 'http://127.0.0.1:1', clusterId: 'c' },
      says: /begins with https/,
    },
    { what: 'the region does not exist', options: { region: 'eu-nowhere-1' }, says: /no region eu-nowhere-1/ },
    { what: 'no region is given', options: {}, says: /--region/ },
    {
      what: 'the authority is not a certificate',
      options: { region, certificateAuthority: '/dev/null' },
      says: /no certificate/,
    },
  ])('reports it and writes nothing when $what', async ({ options = { region }, answers = {}, says }) => {
    Object.assign(aws.answers, answers);
    await expect(login(options, kubeconfig)).rejects.toThrow(says);
    expect(() => readFileSync(kubeconfig)).toThrow();
  });
});

describe('verification of an entry', () => {
  const { authority, options: certificate } = serverCertificate();
  let server: Server;
  let entry: Entry;
  let answer: { code: number; body: object };
  beforeEach(async () => {
    server = createServer(certificate, (_, response) =>
      response.writeHead(answer.code).end(JSON.stringify(answer.body)),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const credential = { kind: 'ExecCredential', status: { token: 't' } };
    const args = ['-c', `echo '${JSON.stringify(credential)}'`];
    entry = {
      name: 'capstan.r',
      server: `https://127.0.0.1:${port}`,
      certificateAuthority: authority.certificate,
      exec: { command: '/bin/sh', args, installHint: '' },
    };
    writeFileSync(kubeconfig, 'current-context: mine\n');
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const logged = (more: LoginOptions = {}) =>
    loginTrying({ url, clusterId: 'c', region, ...more }, kubeconfig, (_, path) => tryEntry(entry, path));

  it('writes it when the API accepts the caller', async () => {
    answer = { code: 201, body: { status: { userInfo: { username: 'arn:me' } } } };
    expect(await logged()).toContain('the API knows you as arn:me');
    expect(written().current).toBe('capstan.eu-central-1');
  });
  it('says that the API knows the caller and lets it read no clusters', async () => {
    answer = { code: 201, body: { status: { userInfo: { username: 'arn:me' }, allowed: false } } };
    expect(await logged()).toMatch(/knows you as arn:me, and you may not list the clusters of all namespaces/);
    answer = { code: 201, body: { status: { userInfo: { username: 'arn:me' }, allowed: true } } };
    expect(await logged()).toMatch(/knows you as arn:me\.\nNext: {2}kubectl get clusters --all-namespaces$/);
  });
  it('writes it when the caller has no permissions yet', async () => {
    answer = { code: 403, body: {} };
    expect(await logged()).toContain('an administrator binds a role to you');
  });
  it.each<{ what: string; code: number; says: RegExp }>([
    { what: 'rejects the caller', code: 401, says: /does not accept these AWS credentials: who are you/ },
    { what: 'is unavailable', code: 503, says: /answers 503/ },
    { what: 'is not a Kubernetes API', code: 404, says: /is no Kubernetes API/ },
  ])('keeps the old entry when the API $what', async ({ code, says }) => {
    answer = { code, body: { message: 'who are you' } };
    await expect(logged()).rejects.toThrow(says);
    expect(readFileSync(kubeconfig, 'utf8')).toBe('current-context: mine\n');
  });
  it.each([
    { what: 'is unreachable', change: () => ({ server: 'https://127.0.0.1:1' }), says: /cannot reach/ },
    {
      what: 'is not trusted',
      change: () => ({ certificateAuthority: undefined }),
      says: /cannot reach .*\. Name the authority that signed its certificate: {2}--certificate-authority FILE/,
    },
    {
      what: 'receives no credentials',
      change: () => ({ exec: { command: '/bin/false', args: [], installHint: '' } }),
      says: /no token/,
    },
  ])('writes nothing when the API $what', async ({ change, says }) => {
    answer = { code: 201, body: {} };
    entry = { ...entry, ...change() };
    await expect(logged()).rejects.toThrow(says);
    await expect(logged()).rejects.toThrow(/is left as it is.*login --force/s);
    expect(readFileSync(kubeconfig, 'utf8')).toBe('current-context: mine\n');
  });
  it('is skipped on request', async () => {
    answer = { code: 503, body: {} };
    expect(await logged({ force: true })).toContain('not tried');
    expect(written().current).toBe('capstan.eu-central-1');
  });
});
