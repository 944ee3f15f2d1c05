/** Volumes of EBS. */
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
