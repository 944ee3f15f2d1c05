/** Every command under every kind of failure: one sentence for the user, and never a stack trace. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import type { Pem } from '../adapters/pki/certificates.ts';
import { serverCertificate } from './certificate.fixture.ts';
import { createProgram } from './program.ts';
import { run } from './run.ts';

const directory = mkdtempSync(join(tmpdir(), 'capstan-failures-'));
const kubeconfig = join(directory, 'kubeconfig');
const pods = join(directory, 'pods.yaml');

/** The arguments of each command that asks a control plane. */
const asking: Record<string, string> = {
  'describe cluster': 'c',
  why: 'machine m',
  'get clusters': '',
  'get kubeconfig': 'c',
  'rollout status': 'machinedeployment/w',
  'plan upgrade': 'c --to v1.36.0',
  'retry cluster': 'c',
  'cancel operation': 'o',
  'continue operation': 'o',
  'snapshot create': 'c',
  'snapshot list': '',
  'snapshot verify': 's',
  'snapshot recover': 's',
  'snapshot restore': 's --yes',
  'snapshot download': 's --to /nowhere/s.db',
  'scale explain': 'w --cluster c',
  'scale simulate': `--cluster c -f ${pods}`,
  'scale replay': '--cluster c',
  status: '',
  doctor: '',
  'orphans list': '',
  thaw: '--yes',
  'token-keys replace': '--revoke --yes',
  'cloud list': '',
  'cloud calls': '',
  'cloud terminate': 'i-1',
  'cloud interrupt': 'i-1',
  'cloud trouble': 'i-1',
  'cloud console': 'i-1',
  'cloud alarm': 'a OK',
  'cloud image create': 'mine --kubernetes-version v1.36.0',
  'cloud key-pair create': 'mine',
  'cloud profile list': '',
  'cloud profile create': 'mine',
  'cloud fault add': '--action RunInstances --code InsufficientInstanceCapacity',
  'cloud fault list': '',
  'cloud fault clear': '',
};
/** The arguments of each command that asks AWS. */
const askingAws: Record<string, string> = {
  deploy: '--yes',
  plan: '',
  destroy: '--yes',
  restore: '--time 2026-01-01T00:00:00Z',
  'dead-letters list': '',
  'dead-letters redrive': '',
  'dead-letters purge': '--yes',
  login: '',
  token: '--cluster-id a.b --region eu-central-1',
};
/** These ask AWS through the control plane, run one, or ask none. */
const others = [
  'cloud vpc create',
  'cloud tag',
  'cloud image list',
  'cloud key-pair list',
  'convert',
  'example',
  'audit',
  'logs',
  'start',
  'dev',
  'completion',
  'complete',
];

const leavesOf = (command: Command, path: string[] = []): string[] => {
  const own = '_actionHandler' in command && command._actionHandler ? [path.join(' ')] : [];
  return [...own, ...command.commands.flatMap((one) => leavesOf(one, [...path, one.name()]))];
};

it('knows every command', () =>
  expect([...Object.keys(asking), ...Object.keys(askingAws), ...others].sort()).toEqual(
    leavesOf(createProgram()).sort(),
  ));

const status = (code: number, reason: string, message: string): RequestListener => {
  const body = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code });
  return (_, response) => void response.writeHead(code, { 'content-type': 'application/json' }).end(body);
};
const page = '<html><head><title>500</title></head><body><h1>Internal Server Error</h1><p>nginx</p></body></html>';

let authority: Pem;
let answer: RequestListener;
let server: ReturnType<typeof createServer>;
let aws: ReturnType<typeof createHttpServer>;
const portOf = (of: typeof server | typeof aws): number => (of.address() as AddressInfo).port;

beforeAll(async () => {
  const certificate = serverCertificate();
  authority = certificate.authority;
  server = createServer(certificate.options, (...exchange) => answer(...exchange));
  aws = createHttpServer((...exchange) => answer(...exchange));
  for (const one of [server, aws])
    await new Promise<void>((resolve) => void one.listen(0, '127.0.0.1', () => resolve()));
  writeFileSync(pods, 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: a}]}\n');
  mkdirSync(join(directory, 'home'));
});
afterAll(async () => {
  for (const one of [server, aws]) {
    one.closeAllConnections();
    await new Promise((resolve) => one.close(resolve));
  }
  rmSync(directory, { recursive: true });
});

const shownBy = async (args: string, timeout = 30_000): Promise<{ code: number; out: string; error: string }> => {
  let [out, error] = ['', ''];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  vi.spyOn(console, 'log').mockImplementation((...parts) => {
    out += `${parts.join(' ')}\n`;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    error += String(text);
    return true;
  });
  vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`exits with ${code}`);
  });
  const before = process.exitCode;
  process.exitCode = 0;
  try {
    await run(createProgram({ timeout }), args.split(' ').filter(Boolean));
    return { code: Number(process.exitCode), out, error };
  } finally {
    process.exitCode = before;
    vi.restoreAllMocks();
  }
};

const wholeConfig = (more: { server?: string; ca?: string; user?: object } = {}): string =>
  stringify({
    clusters: [
      {
        name: 'c',
        cluster: {
          server: more.server ?? `https://127.0.0.1:${portOf(server)}`,
          'certificate-authority-data': Buffer.from(more.ca ?? authority.certificate).toString('base64'),
        },
      },
    ],
    users: [{ name: 'u', user: more.user ?? { token: 't' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });

beforeEach(() => {
  vi.stubEnv('KUBECONFIG', kubeconfig);
  vi.stubEnv('CAPSTAN_EMULATOR_FAULTS', '');
  for (const name of ['HTTPS_PROXY', 'https_proxy']) vi.stubEnv(name, '');
});
afterEach(() => vi.unstubAllEnvs());

const isStack = /^\s+at .+:\d+/m;
const expectMessage = ({ code, out, error }: { code: number; out: string; error: string }, says: RegExp) => {
  expect(out + error).not.toMatch(isStack);
  expect(error).not.toContain('fault of Capstan');
  expect(code).not.toBe(0);
  expect(out + error).toMatch(says);
};

interface Failure {
  kind: string;
  config?: () => string | undefined;
  answer?: RequestListener;
  says: RegExp;
  /** Milliseconds. */
  timeout?: number;
  /** Commands to which this is no failure, or not this one. */
  except?: string[];
}
const failures: Failure[] = [
  {
    kind: 'a server that refuses connections',
    config: () => wholeConfig({ server: 'https://127.0.0.1:1' }),
    says: /cannot reach https:\/\/127\.0\.0\.1:1: connection refused/,
  },
  {
    kind: 'a name that does not resolve',
    config: () => wholeConfig({ server: 'https://nowhere.invalid' }),
    says: /cannot reach https:\/\/nowhere\.invalid: (no such host|the name server)/,
  },
  {
    kind: 'a server that says nothing',
    answer: () => {},
    timeout: 100,
    says: /no answer within 0\.1 s/,
    // These wait for 15 and 30 seconds.
    except: ['get clusters', 'doctor'],
  },
  {
    kind: 'a certificate of another authority',
    config: () =>
      wholeConfig({
        ca: serverCertificate().authority.certificate,
      }),
    says: /cannot reach .*: (unable to verify|self-signed|certificate)/i,
  },
  { kind: 'an authority that is none', config: () => wholeConfig({ ca: 'nonsense' }), says: /cannot reach .*/ },
  { kind: 'a token that is not accepted', answer: status(401, 'Unauthorized', 'Unauthorized'), says: /Unauthorized/ },
  {
    kind: 'a missing permission',
    answer: status(403, 'Forbidden', 'things is forbidden: User "u" cannot do that'),
    says: /User "u" cannot|403|Forbidden|kubeconfig/,
  },
  {
    kind: 'a missing object',
    answer: status(404, 'NotFound', 'the server could not find the requested resource'),
    says: /not found|could not find|there is no|no kubeconfig|not there|has no|opted in|404|FAILED/,
    except: ['cloud fault clear'],
  },
  {
    kind: 'a conflict',
    answer: status(409, 'Conflict', 'Operation cannot be fulfilled: the object has been modified'),
    says: /the object has been modified|FAILED/,
  },
  {
    kind: 'an error page of a gateway',
    answer: (_, response) => void response.writeHead(500, { 'content-type': 'text/html' }).end(page),
    says: /HTTP status 500: Internal Server Error nginx|answered 500/,
  },
  {
    kind: 'half of an object',
    answer: (_, response) => void response.writeHead(200).end('{"kind":"List","items":[{"metadata":{"na'),
    says: /not whole, or no JSON|FAILED/,
  },
  {
    kind: 'an answer that breaks off',
    answer: (_, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{"kind":');
      setTimeout(() => response.destroy(), 10);
    },
    says: /lost the answer of https|FAILED/,
  },
];

describe.each(failures)('$kind', ({ config = wholeConfig, answer: given, says, timeout, except = [] }) => {
  beforeEach(() => {
    writeFileSync(kubeconfig, config() ?? '');
    answer = given ?? ((_, response) => void response.end('{}'));
  });
  it.each(Object.entries(asking).filter(([name]) => !except.includes(name)))(
    'is told in a sentence by %s',
    { timeout: 20_000 },
    async (name, args) => {
      expectMessage(await shownBy(`${name} ${args}`, timeout), says);
    },
  );
});

describe.each<{ kind: string; text?: string; says: RegExp }>([
  { kind: 'missing', says: /no kubeconfig at/ },
  { kind: 'no YAML', text: 'a: [', says: /is not a kubeconfig/ },
  { kind: 'another document', text: '- a\n- b\n', says: /is not a kubeconfig: it is no mapping/ },
  { kind: 'of other types', text: 'contexts: x\nusers: 3\n', says: /is not a kubeconfig: contexts is no list/ },
  { kind: 'without credentials', text: 'current-context: x\n', says: /no current context|no context/ },
  {
    kind: 'of an http server',
    text: stringify({
      clusters: [{ name: 'c', cluster: { server: 'http://h' } }],
      users: [{ name: 'u', user: { token: 't' } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
    says: /names no https URL as its server: http:\/\/h/,
  },
  {
    kind: 'with a plugin that is missing',
    text: stringify({
      clusters: [{ name: 'c', cluster: { server: 'https://h.invalid' } }],
      users: [{ name: 'u', user: { exec: { command: 'capstan-nowhere', args: [] } } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
    says: /there is no capstan-nowhere/,
  },
])('a kubeconfig that is $kind', ({ text, says }) => {
  beforeEach(() => {
    rmSync(kubeconfig, { force: true });
    if (text !== undefined) writeFileSync(kubeconfig, text);
  });
  const without = text === undefined || !text.includes('current-context: x\n') || text.includes('clusters');
  it.each(
    Object.entries(asking).filter(([name]) => without || name !== 'get clusters'),
  )('is told in a sentence by %s', async (name, args) => {
    expectMessage(await shownBy(`${name} ${args}`), says);
  });
});

describe('a user with rights in one namespace', () => {
  const cluster = { metadata: { name: 'c', namespace: 'default' } };
  beforeEach(() => {
    writeFileSync(kubeconfig, wholeConfig());
    answer = (request, response) =>
      request.url?.includes('/namespaces/default/')
        ? void response.end(JSON.stringify({ items: [cluster] }))
        : status(403, 'Forbidden', 'things is forbidden: User "u" cannot list')(request, response);
  });

  it('sees the clusters of the namespace of the context, and that these are not all', async () => {
    const { code, out, error } = await shownBy('get clusters');
    expect(code).toBe(0);
    expect(out).toMatch(/^x +default +c +Unknown/m);
    expect(error).toBe('context x: namespace default only; its user may not list clusters in all\n');
  });

  it('is told whose the status of the installation is', async () =>
    expectMessage(await shownBy('status'), /forbidden.*capstan:viewer may\. Your clusters: {2}capstan get clusters/));
});

describe('AWS', () => {
  beforeEach(() => {
    for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined);
    vi.stubEnv('HOME', join(directory, 'home'));
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    vi.stubEnv('AWS_REGION', 'eu-central-1');
  });
  const withKeys = (endpoint: string) => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIA');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    vi.stubEnv('AWS_ENDPOINT_URL', endpoint);
  };

  it.each(Object.entries(askingAws))('without credentials is told in a sentence by %s', async (name, args) => {
    expectMessage(await shownBy(`${name} ${args}`), /credentials/);
  });

  // A token is signed here, and asks no server.
  const networked = Object.entries(askingAws).filter(([name]) => name !== 'token');
  it.each(networked)(
    'that refuses connections is told in a sentence by %s',
    { timeout: 20_000 },
    async (name, args) => {
      withKeys('http://127.0.0.1:1');
      expectMessage(await shownBy(`${name} ${args}`), /cannot reach AWS.*ECONNREFUSED/);
    },
  );
  it.each(networked)('with an error page is told in a sentence by %s', { timeout: 20_000 }, async (name, args) => {
    withKeys(`http://127.0.0.1:${portOf(aws)}`);
    answer = (_, response) => void response.writeHead(403, { 'content-type': 'text/html' }).end(page);
    expectMessage(await shownBy(`${name} ${args}`), /^error: .+/m);
  });
});
