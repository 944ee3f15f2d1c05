/**
 * Calls of EKS, whose API is JSON over HTTP, and tokens for its clusters, which are presigned requests of STS.
 * The client of STS lends its credentials and its connections: that of EKS would be the largest of all
 * bundles, for six calls.
 */
import { Sha256 } from '@aws-crypto/sha256-js';
import { STSClient } from '@aws-sdk/client-sts';
import { SignatureV4 } from '@smithy/signature-v4';
import type { EksCluster } from '../../../kinds/ports/cloud/index.ts';
import { regionalStsHost } from '../identity/hosts.ts';
import type { ClientConfig, Operations } from './operations.ts';

/** A response of EKS that is no success. */
class EksError extends Error {
  readonly $metadata: { httpStatusCode: number };
  constructor(code: string, message: string, status: number) {
    super(message);
    this.name = code;
    this.$metadata = { httpStatusCode: status };
  }
}

const textOf = async (body: Uint8Array | AsyncIterable<Uint8Array> | undefined): Promise<string> => {
  if (body instanceof Uint8Array) return Buffer.from(body).toString('utf8');
  const parts: Uint8Array[] = [];
  for await (const part of body ?? []) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
};

const parsed = (text: string): Record<string, unknown> => {
  try {
    return JSON.parse(text || '{}') as Record<string, unknown>;
  } catch {
    return {};
  }
};

/** With the lists and maps that EKS leaves out where they are empty. */
const clusterIn = ({ cluster }: Record<string, unknown>): { cluster: EksCluster } => {
  const given = cluster as Partial<EksCluster>;
  return {
    cluster: {
      ...given,
      logging: given.logging ?? { clusterLogging: [] },
      accessConfig: given.accessConfig ?? { authenticationMode: 'CONFIG_MAP' },
      upgradePolicy: given.upgradePolicy ?? { supportType: 'EXTENDED' },
      kubernetesNetworkConfig: given.kubernetesNetworkConfig ?? {},
      encryptionConfig: given.encryptionConfig ?? [],
      tags: given.tags ?? {},
      health: { issues: given.health?.issues ?? [] },
    } as EksCluster,
  };
};

const updateIn = ({ update }: Record<string, unknown>) => ({ update: { id: (update as { id: string }).id } });

export const operations = (config: ClientConfig): Operations<'eks'> => {
  const { region } = config;
  const { config: lent } = new STSClient(config);
  const signer = (service: string) =>
    new SignatureV4({ credentials: lent.credentials, region, service, sha256: Sha256 });
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const endpoint = new URL(config.endpoint ?? `https://eks.${region}.${suffix}`);

  const send = async (method: string, path: string, input?: object): Promise<Record<string, unknown>> => {
    const request = {
      method,
      protocol: endpoint.protocol,
      hostname: endpoint.hostname,
      ...(endpoint.port && { port: Number(endpoint.port) }),
      path,
      headers: {
        host: endpoint.host,
        'user-agent': config.customUserAgent,
        ...(input && { 'content-type': 'application/json' }),
      },
      ...(input && { body: JSON.stringify(input) }),
    };
    const signed = await signer('eks').sign(request);
    type Sent = Parameters<typeof lent.requestHandler.handle>[0];
    const { response } = await lent.requestHandler.handle(signed as Sent);
    const body = parsed(await textOf(response.body));
    if (response.statusCode < 300) return body;
    const [code = ''] = String(response.headers['x-amzn-errortype'] ?? body.__type ?? '').split(':');
    throw new EksError(code.split('#').at(-1) ?? '', String(body.message ?? body.Message ?? ''), response.statusCode);
  };
  const pathOf = (name: string, rest = '') => `/clusters/${encodeURIComponent(name)}${rest}`;

  return {
    DescribeCluster: async ({ name }) => clusterIn(await send('GET', pathOf(name))),
    CreateCluster: async (input) => clusterIn(await send('POST', '/clusters', input)),
    UpdateClusterConfig: async ({ name, ...change }) =>
      updateIn(await send('POST', pathOf(name, '/update-config'), change)),
    UpdateClusterVersion: async ({ name, version }) =>
      updateIn(await send('POST', pathOf(name, '/updates'), { version })),
    DeleteCluster: async ({ name }) => clusterIn(await send('DELETE', pathOf(name))),
    GetClusterToken: async ({ name }) => {
      const host = regionalStsHost(region);
      const { query = {} } = await signer('sts').presign(
        {
          method: 'GET',
          protocol: 'https:',
          hostname: host,
          path: '/',
          query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
          headers: { host, 'x-k8s-aws-id': name },
        },
        { expiresIn: 60 },
      );
      const pairs = Object.entries(query).map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`);
      const url = `https://${host}/?${pairs.join('&')}`;
      return { token: `k8s-aws-v1.${Buffer.from(url).toString('base64url')}` };
    },
  };
};
