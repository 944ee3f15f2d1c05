/** Volumes of EBS. */

import type { Calls } from '../call.ts';
import { list } from '../list.ts';
import type { Filter, Page, Tag } from '../shared.ts';

export interface VolumeActions {
  DescribeVolumes: [
    { VolumeIds?: string[]; Filters?: Filter[] } & Page,
    {
      Volumes: {
        VolumeId: string;
        State: string;
        AvailabilityZone: string;
        Size: number;
        Encrypted: boolean;
        Attachments: { InstanceId: string }[];
        Tags: Tag[];
      }[];
      NextToken?: string;
    },
  ];
}

export const volumeCalls = {
  DescribeVolumes: {},
} as const satisfies Calls<VolumeActions>;

export const volumes = list('DescribeVolumes', 'VolumeId', { type: 'volume', prefix: 'vol' });
