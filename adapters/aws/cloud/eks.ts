/** Calls of EKS, and tokens for its clusters, which are presigned requests of STS. */
import { Sha256 } from '@aws-crypto/sha256-js';
import {
  AssociateAccessPolicyCommand,
  CreateAccessEntryCommand,
  CreateAddonCommand,
  CreateClusterCommand,
  CreateNodegroupCommand,
  DeleteAccessEntryCommand,
  DeleteAddonCommand,
  DeleteClusterCommand,
  DeleteNodegroupCommand,
  DescribeAccessEntryCommand,
  DescribeAddonCommand,
  DescribeClusterCommand,
  DescribeNodegroupCommand,
  DisassociateAccessPolicyCommand,
  EKSClient,
  ListAccessEntriesCommand,
  ListAddonsCommand,
  ListAssociatedAccessPoliciesCommand,
  UpdateAccessEntryCommand,
  UpdateAddonCommand,
  UpdateClusterConfigCommand,
  UpdateClusterVersionCommand,
  UpdateNodegroupConfigCommand,
  UpdateNodegroupVersionCommand,
} from '@aws-sdk/client-eks';
import { SignatureV4 } from '@smithy/signature-v4';
import { regionalStsHost } from '../identity/hosts.ts';
import { list, nothing, record, text, textIfAny } from './decode.ts';
import { accessEntry, accessPolicy, addon, cluster, nodegroup } from './eks-shapes.ts';
import type { ClientConfig, Operations } from './operations.ts';
import { given } from './sdk-input.ts';

const updated = record<{ update?: { id?: string | undefined } | undefined }, { update: { id: string } }>({
  update: record({ id: text }),
});
const page = { nextToken: textIfAny };

export const operations = (config: ClientConfig): Operations<'eks'> => {
  const client = new EKSClient(config);
  const { region } = config;
  return {
    DescribeCluster: (input) => client.send(new DescribeClusterCommand(given(input))).then(record({ cluster })),
    CreateCluster: (input) => client.send(new CreateClusterCommand(given(input))).then(record({ cluster })),
    UpdateClusterConfig: (input) => client.send(new UpdateClusterConfigCommand(given(input))).then(updated),
    UpdateClusterVersion: (input) => client.send(new UpdateClusterVersionCommand(given(input))).then(updated),
    DeleteCluster: (input) => client.send(new DeleteClusterCommand(given(input))).then(record({ cluster })),

    DescribeNodegroup: (input) => client.send(new DescribeNodegroupCommand(given(input))).then(record({ nodegroup })),
    CreateNodegroup: (input) => client.send(new CreateNodegroupCommand(given(input))).then(record({ nodegroup })),
    UpdateNodegroupConfig: (input) => client.send(new UpdateNodegroupConfigCommand(given(input))).then(updated),
    UpdateNodegroupVersion: (input) => client.send(new UpdateNodegroupVersionCommand(given(input))).then(updated),
    DeleteNodegroup: (input) => client.send(new DeleteNodegroupCommand(given(input))).then(record({ nodegroup })),

    ListAddons: (input) =>
      client.send(new ListAddonsCommand(given(input))).then(record({ addons: list(text), ...page })),
    DescribeAddon: (input) => client.send(new DescribeAddonCommand(given(input))).then(record({ addon })),
    CreateAddon: (input) => client.send(new CreateAddonCommand(given(input))).then(record({ addon })),
    UpdateAddon: (input) => client.send(new UpdateAddonCommand(given(input))).then(updated),
    DeleteAddon: (input) => client.send(new DeleteAddonCommand(given(input))).then(record({ addon })),

    ListAccessEntries: (input) =>
      client.send(new ListAccessEntriesCommand(given(input))).then(record({ accessEntries: list(text), ...page })),
    DescribeAccessEntry: (input) =>
      client.send(new DescribeAccessEntryCommand(given(input))).then(record({ accessEntry })),
    ListAssociatedAccessPolicies: (input) =>
      client
        .send(new ListAssociatedAccessPoliciesCommand(given(input)))
        .then(record({ associatedAccessPolicies: list(accessPolicy), ...page })),
    CreateAccessEntry: (input) => client.send(new CreateAccessEntryCommand(given(input))).then(record({ accessEntry })),
    UpdateAccessEntry: (input) => client.send(new UpdateAccessEntryCommand(given(input))).then(record({ accessEntry })),
    DeleteAccessEntry: (input) => client.send(new DeleteAccessEntryCommand(given(input))).then(nothing),
    AssociateAccessPolicy: (input) => client.send(new AssociateAccessPolicyCommand(given(input))).then(nothing),
    DisassociateAccessPolicy: (input) => client.send(new DisassociateAccessPolicyCommand(given(input))).then(nothing),

    GetClusterToken: async ({ name }) => {
      const host = regionalStsHost(region);
      const { credentials } = client.config;
      const signer = new SignatureV4({ credentials, region, service: 'sts', sha256: Sha256 });
      const { query = {} } = await signer.presign(
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
