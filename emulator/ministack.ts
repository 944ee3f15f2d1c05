/** MiniStack: all services except instances, load balancers and identities. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Guardian } from './guardian.ts';
import { createServerProcess, type Server } from './server.ts';

export interface MiniStackOptions {
  /** The Python of MiniStack's environment. */
  python: string;
  port: number;
  folder: string;
  region: string;
  account: string;
  /** Of the credentials with which functions sign. */
  secret?: string;
  /** The account's concurrency limit; none by default. */
  concurrency?: number;
  guardian: Guardian;
  /** Seconds between two saves of changed state; 20 by default. */
  saveEvery?: number;
  /** The functions that the host runs, and its address. */
  functions: readonly string[];
  host: string;
  onCrash?: (how: string) => void;
}

export interface MiniStack extends Server {
  endpoint: string;
}

const program = join(import.meta.dirname, 'ministack_as_aws.py');

export const createMiniStack = (options: MiniStackOptions): MiniStack => {
  const { python, port, folder, region, account, secret, concurrency, guardian, saveEvery, functions, host, onCrash } =
    options;
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  const endpoint = `http://127.0.0.1:${port}`;
  const server = createServerProcess({
    name: 'MiniStack',
    command: python,
    args: [program],
    environment: {
      PATH: process.env.PATH,
      PYTHONDONTWRITEBYTECODE: '1',
      ...(saveEvery !== undefined && { CAPSTAN_EMULATOR_SAVE_SECONDS: String(saveEvery) }),
      HOME: folder,
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      MINISTACK_REGION: region,
      MINISTACK_ACCOUNT_ID: account,
      IOT_MTLS_ENABLED: '0',
      SFTP_ENABLED: '0',
      TMPDIR: temporary,
      // After SIGKILL the state of the last save is loaded.
      PERSIST_STATE: '1',
      STATE_DIR: join(folder, 'state'),
      S3_PERSIST: '1',
      S3_DATA_DIR: join(folder, 's3'),
      // Its S3 checks the signatures of links with this one.
      ...(secret !== undefined && { AWS_SECRET_ACCESS_KEY: secret }),
      // Retry delays are a hundredth of their value; Capstan's definitions have no other waits.
      SFN_WAIT_SCALE: '0.01',
      LAMBDA_ACCOUNT_CONCURRENCY: String(concurrency ?? 0),
      ...Object.fromEntries(functions.map((name) => [`MINISTACK_LAMBDA_PROXY_${name}`, host])),
    },
    health: `${endpoint}/_ministack/health`,
    logFile: join(folder, 'ministack.log'),
    guardian,
    ...(onCrash && { onCrash }),
  });
  return { ...server, endpoint };
};
