import type { Vpc } from '../../../ports/cloud/index.ts';
import { call } from '../../engine/resource.ts';
import { canonicalBlock } from '../blocks.ts';
import { secondaryCidrsReady } from '../conditions.ts';
import type { NetworkResource } from '../scope.ts';

type Block = Vpc['CidrBlockAssociationSet'][number];

/** Further blocks of the VPC, which go with it. */
export const secondaryBlocks: NetworkResource<Block> = {
  sort: 'secondary-block',
  title: 'secondary block',
  events: ['AssociateVpcCidrBlock'],
  condition: {
    type: secondaryCidrsReady,
    started: 'SecondaryCidrsCreationStarted',
    failed: 'SecondaryCidrReconciliationFailed',
  },
  isOptional: true,
  inside: () => [],
  state: ({ CidrBlockState }) => (CidrBlockState.State === 'associated' ? 'ready' : 'pending'),
  depth: 1,
  desired: ({ network, cloudState: { vpc } }) => {
    const wanted = network.vpc?.secondaryCidrBlocks ?? [];
    if (wanted.length === 0 || vpc?.unmanaged) return [];
    if (!vpc) return 'later';
    return wanted.map(({ ipv4CidrBlock }) => {
      const block = canonicalBlock(ipv4CidrBlock);
      return {
        which: block,
        there: vpc.CidrBlockAssociationSet.find(
          ({ CidrBlock, CidrBlockState }) => CidrBlock === block && /^associat/.test(CidrBlockState.State),
        ),
        create: call('AssociateVpcCidrBlock', { VpcId: vpc.VpcId, CidrBlock: block }),
      };
    });
  },
  awaiting: () => 'Adding secondary blocks to the VPC',
  uses: [],
};
