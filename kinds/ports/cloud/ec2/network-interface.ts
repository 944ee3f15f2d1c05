/** Network interfaces. */
import type { Empty, Filter, Page, Tag } from '../shared.ts';

export interface NetworkInterfaceActions {
  DescribeNetworkInterfaces: [
    { NetworkInterfaceIds?: string[]; Filters?: Filter[] } & Page,
    {
      NetworkInterfaces: {
        NetworkInterfaceId: string;
        VpcId: string;
        SubnetId: string;
        Status: string;
        Description?: string;
        Groups: { GroupId: string }[];
        Attachment?: { InstanceId?: string };
        TagSet: Tag[];
      }[];
      NextToken?: string;
    },
  ];
  ModifyNetworkInterfaceAttribute: [{ NetworkInterfaceId: string; Groups?: string[] }, Empty];
}
