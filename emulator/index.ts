/** An emulated AWS account: MiniStack and moto, and the services that they lack. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { openStorage } from '../adapters/durable/storage.ts';
import { functionNames, namesOf } from '../cdk/names.ts';
import { stderrLog } from '../local/log.ts';
import type { Log } from '../machinery/ports.ts';
import { ensureCertificates } from './certificate.ts';
import { credentialVariables, type Endpoints, endpointVariables } from './endpoints.ts';
import { startFaults } from './faults.ts';
import { createGateway } from './front/gateway.ts';
import { startFront } from './front/index.ts';
import { createGuardian } from './guardian.ts';
import { playRegions } from './guests/regions.ts';
import type { Count } from './host/counts.ts';
import { createDeployed } from './host/deployed.ts';
import { createFunctions, type Disturbance } from './host/functions.ts';
import { startHost } from './host/index.ts';
import { createLogFiles } from './host/log-files.ts';
import type { Names } from './host/messages.ts';
import { createMiniStack } from './ministack.ts';
import { createMoto, prepareAccount } from './moto.ts';
import { startParameters } from './parameters.ts';
import { portsOf, withPorts } from './ports.ts';
import { startProxy } from './proxy.ts';
import { followDeployments } from './redrive.ts';
import type { Server } from './server.ts';
import { createUsers, startSts, type Users } from './sts/index.ts';
import { lossesIn } from './unsaved.ts';
import { ensureVenv } from './venv.ts';

export type { Count } from './host/counts.ts';
export type { Disturbance } from './host/functions.ts';

export interface EmulatorOptions {
  /** The deployed installation; `capstan` by default. */
  installation?: string;
  region?: string;
  /** State, logs and unpacked code; by default a temporary folder that is removed at the end. */
  folder?: string;
  /** Divides the delays inside the instances; 20 by default. */
  speed?: number;
  /** The TLS front's port; a free one by default. */
  port?: number;
  /** The account's concurrency limit, from which a deployment derives its bounds; 40 by default. */
  concurrency?: number;
  log?: Log;
  say?: (line: string) => void;
}

export interface LogLine {
  function: string;
  line: string;
}

export interface Emulator {
  /** Variables for clients of the account. */
  variables: Record<string, string>;
  endpoints: Endpoints;
  region: string;
  account: string;
  /** The account's concurrency limit. */
  concurrency: number;
  /** The deployed API's URL for kubectl, without a trailing slash. */
  url: string;
  /** The CA of this URL as PEM, and its file. */
  caCertificate: string;
  caFile: string;
  /** HTTPS_PROXY for clients of clusters in this account. */
  proxy: string;
  /** Messages about state that the last run on this folder did not save. */
  losses: readonly string[];
  names(): Names;
  users: Users;
  /** Per function. */
  counts(): Record<string, Count>;
  /** Output of functions, oldest first. */
  lines(): readonly LogLine[];
  /** Kills sandboxes of these functions, busy or idle; returns the count. */
  killSandboxes(functions: (name: string) => boolean): number;
  /** Kills busy sandboxes from now on; undefined stops that. */
  disturb(disturbance: Disturbance | undefined): void;
  /** Delivers every queue message twice while on. */
  duplicateMessages(on: boolean): void;
  ministack: Server;
  moto: Server;
  folder: string;
  close(): Promise<void>;
}

/** Regions that need machine images for users' templates. */
const defaultRegions = ['us-east-1', 'us-west-2', 'eu-central-1', 'eu-west-1'];
const account = '000000000000';
const administrator = { name: 'admin', secret: 'emulator/administrator' };
const unauthorized = { name: 'stranger', secret: 'emulator/stranger' };
const role = { name: 'lambda', secret: 'emulator/functions' };
/** Requests need no worker, so bound only what uses the few local cores. */
const mostAtOnce = (name: string): number => (/-(api|watch)$/.test(name) ? Number.POSITIVE_INFINITY : 3);
const mostLines = 200_000;
const defaultConcurrency = 40;

export const startEmulator = async (options: EmulatorOptions = {}): Promise<Emulator> => {
  const isTemporary = options.folder === undefined;
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'capstan-emulator-'));
  mkdirSync(folder, { recursive: true });
  return withPorts(folder, () => startIn(folder, isTemporary, options));
};

const startIn = async (folder: string, isTemporary: boolean, options: EmulatorOptions): Promise<Emulator> => {
  const { installation = 'capstan', region = 'eu-central-1', speed = 20, log = stderrLog, say } = options;
  mkdirSync(folder, { recursive: true });
  const closing: (() => unknown)[] = [];
  let isClosing = false;
  const close = async () => {
    isClosing = true;
    for (const end of closing.splice(0).reverse()) await end();
    if (isTemporary) await rm(folder, { recursive: true, force: true });
  };
  try {
    const python = await ensureVenv(say);
    const ports = await portsOf(folder, say);
    const losses = await lossesIn(folder);
    const guardian = createGuardian();
    closing.push(guardian.end);
    const endpoints: Endpoints = {
      aws: `http://127.0.0.1:${ports.aws}`,
      compute: `http://127.0.0.1:${ports.compute}`,
      sts: `http://127.0.0.1:${ports.sts}`,
      parameters: `http://127.0.0.1:${ports.parameters}`,
    };
    const users = createUsers(account);
    const admin = users.user(administrator.name, administrator.secret);
    users.user(unauthorized.name, unauthorized.secret);
    const functionsRole = users.user(role.name, role.secret);
    const names = functionNames.map(namesOf(installation).function);
    const crashed = (name: string) => (how: string) => log.error('A part of the emulator is gone', { name, how });

    const shared = { folder, account, guardian };
    const concurrency = options.concurrency ?? defaultConcurrency;
    const ministack = createMiniStack({
      ...shared,
      concurrency,
      python,
      port: ports.aws,
      region,
      functions: names,
      secret: functionsRole.secretAccessKey,
      host: `http://127.0.0.1:${ports.host}/`,
      onCrash: crashed('MiniStack'),
    });
    const moto = createMoto({
      ...shared,
      python,
      port: ports.compute,
      consoles: `http://127.0.0.1:${ports.proxy}/consoles/`,
      onCrash: crashed('moto'),
    });
    closing.push(moto.stop, ministack.stop);
    await Promise.all([ministack.start(), moto.start()]);
    await prepareAccount(moto.endpoint, [...new Set([region, ...defaultRegions])]);

    const client = { endpoint: endpoints.aws, region, credentials: functionsRole };
    const lambda = new LambdaClient(client);
    const queues = new SQSClient(client);
    closing.push(
      () => lambda.destroy(),
      () => queues.destroy(),
    );
    const player = playRegions({
      aws: endpoints.aws,
      compute: endpoints.compute,
      region,
      account,
      open: (name) => openStorage(join(folder, 'guests', name)),
      speed,
      log,
      onNames: () => functions.tellNames(),
    });
    closing.push(player.close);
    const deployments = followDeployments({
      endpoint: endpoints.aws,
      region,
      stack: `Capstan-${installation}`,
      onError: (error) => log.error('A deployment stays incomplete', { error }),
    });
    closing.push(deployments.close);

    const faults = await startFaults(endpoints.compute);
    closing.push(faults.close);
    const lines: LogLine[] = [];
    const logs = createLogFiles(join(folder, 'logs'));
    closing.push(logs.close);
    const functions = createFunctions({
      deployed: createDeployed({
        client: lambda,
        folder: join(folder, 'code'),
        python,
      }),
      guardian,
      variables: {
        AWS_REGION: region,
        AWS_DEFAULT_REGION: region,
        // Faults affect Capstan's calls, not those of users.
        ...endpointVariables({ ...endpoints, compute: faults.endpoint }),
        ...credentialVariables(functionsRole),
      },
      names: player.names,
      concurrency: mostAtOnce,
      accountConcurrency: concurrency,
      onLine: (name, line) => {
        lines.push({ function: name, line });
        logs.write(name, line);
        if (lines.length > mostLines) lines.splice(0, mostLines / 2);
      },
    });
    closing.push(functions.close);
    let isDuplicating = false;
    const onError = (name: string, error: unknown) => {
      if (!isClosing) log.error('A function failed', { function: name, error });
    };
    const host = await startHost({
      functions,
      queues,
      lambda,
      region,
      port: ports.host,
      isDuplicating: () => isDuplicating,
      onError,
    });
    closing.push(host.close);
    const sts = await startSts({ users, account, port: ports.sts, elsewhere: endpoints.aws });
    closing.push(sts.close);
    const parameters = await startParameters({ endpoint: endpoints.aws, port: ports.parameters });
    closing.push(parameters.close);
    const proxy = await startProxy({
      names: player.names,
      console: player.console,
      counts: functions.counts.all,
      port: ports.proxy,
    });
    closing.push(proxy.close);
    const certificates = await ensureCertificates(folder);
    const front = await startFront({
      port: options.port ?? ports.front,
      certificate: certificates.certificate,
      key: certificates.key,
      gateway: createGateway({ endpoint: endpoints.aws, region, name: installation }),
      functions,
      streaming: `${installation}-watch`,
      account,
      onError: (error) => {
        if (!isClosing) log.error('A request failed', { error });
      },
    });
    closing.push(front.close);

    return {
      variables: {
        AWS_REGION: region,
        AWS_DEFAULT_REGION: region,
        ...credentialVariables(admin),
        ...endpointVariables(endpoints),
        CAPSTAN_EMULATOR_FAULTS: `${faults.endpoint}/faults`,
      },
      endpoints,
      region,
      account,
      concurrency,
      url: `https://127.0.0.1:${front.port}`,
      caCertificate: certificates.ca,
      caFile: certificates.caFile,
      proxy: proxy.url,
      losses,
      names: player.names,
      users,
      counts: functions.counts.all,
      lines: () => lines,
      killSandboxes: functions.kill,
      disturb: functions.disturb,
      duplicateMessages: (on) => {
        isDuplicating = on;
      },
      ministack,
      moto,
      folder,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};
