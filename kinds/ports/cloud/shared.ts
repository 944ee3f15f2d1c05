/** What inputs and outputs of several actions have in common. */

export type Tag = {
  Key: string;
  Value: string;
};
export type Filter = {
  Name: string;
  Values: string[];
};
export type TagSpecifications = { ResourceType: string; Tags: Tag[] }[];
export type Empty = Record<never, never>;
export type Page = {
  MaxResults?: number;
  NextToken?: string;
};
