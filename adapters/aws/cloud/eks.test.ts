import { describe, expect, it } from 'vitest';
import type { CloudError } from '../../../kinds/ports/cloud/index.ts';
import { openWire } from './wire.fixture.ts';

const region = 'eu-central-1';
const cluster = {
  name: 'mine',
  arn: 'arn:aws:eks:eu-central-1:123456789012:cluster/mine',
  status: 'ACTIVE',
  version: '1.34',
  roleArn: 'arn:aws:iam::123456789012:role/eks',
  resourcesVpcConfig: {
    subnetIds: ['subnet-1'],
    endpointPublicAccess: true,
    endpointPrivateAccess: false,
    vpcId: 'vpc-1',
  },
};

describe('EKS on the wire', () => {
  it('has the lists and maps that EKS leaves out where they are empty', async () => {
    const { cloud, sent } = openWire(() => ({ body: { cluster } }));
    const answer = await cloud.call(region, 'DescribeCluster', { name: 'mine' });
    expect(sent.map(({ host }) => host)).toEqual(['eks.eu-central-1.amazonaws.com']);
    expect(answer.cluster).toEqual({
      ...cluster,
      logging: { clusterLogging: [] },
      accessConfig: { authenticationMode: 'CONFIG_MAP' },
      upgradePolicy: { supportType: 'EXTENDED' },
      kubernetesNetworkConfig: {},
      encryptionConfig: [],
      tags: {},
      health: { issues: [] },
    });
  });

  it('sends one change in the body, and the name in the path', async () => {
    const { cloud, sent } = openWire(() => ({ body: { update: { id: 'u-1', status: 'InProgress' } } }));
    const change = { accessConfig: { authenticationMode: 'API' } } as const;
    expect(await cloud.call(region, 'UpdateClusterConfig', { name: 'mine', ...change })).toEqual({
      update: { id: 'u-1' },
    });
    expect(sent[0]?.fields).toMatchObject(change);
  });

  it('keeps the code and the words of a refusal', async () => {
    const { cloud } = openWire(() => ({
      status: 404,
      body: { __type: 'ResourceNotFoundException', message: 'No cluster found for name: mine.' },
    }));
    const failure = await cloud.call(region, 'DescribeCluster', { name: 'mine' }).catch((error: CloudError) => error);
    expect(failure).toMatchObject({ code: 'ResourceNotFoundException', message: 'No cluster found for name: mine.' });
  });

  it('does not take the 404 of another server for a cluster that is gone', async () => {
    const { cloud } = openWire(() => ({ status: 404, body: 'not found' }));
    const failure = await cloud.call(region, 'DescribeCluster', { name: 'mine' }).catch((error: CloudError) => error);
    expect(failure).toMatchObject({ code: 'UnexpectedAnswer' });
  });

  it('asks again where what answers is no JSON', async () => {
    let answers = 0;
    const { cloud, sent, clock } = openWire(() => (++answers < 3 ? { body: '<html>' } : { body: { cluster } }));
    const answer = cloud.call(region, 'DescribeCluster', { name: 'mine' });
    await clock.advance(1000);
    expect((await answer).cluster.name).toBe('mine');
    expect(sent).toHaveLength(3);
  });

  it('does not know what became of a change whose answer is no JSON', async () => {
    const { cloud, sent } = openWire(() => ({ body: '<html>' }));
    const failure = await cloud.call(region, 'DeleteCluster', { name: 'mine' }).catch((error: CloudError) => error);
    expect(failure).toMatchObject({ code: 'UnknownError' });
    expect(sent).toHaveLength(1);
  });

  it('signs tokens and sends nothing', async () => {
    const { cloud, sent } = openWire(() => ({ body: {} }));
    const { token } = await cloud.call(region, 'GetClusterToken', { name: 'mine' });
    const url = new URL(Buffer.from(token.replace('k8s-aws-v1.', ''), 'base64url').toString());
    expect(url.host).toBe('sts.eu-central-1.amazonaws.com');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      Action: 'GetCallerIdentity',
      'X-Amz-Expires': '60',
      'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
    });
    expect(sent).toEqual([]);
  });
});
