export interface TreeNode {
  label: string;
  /** The labels of the rows that it replaces; its own unless it stands for several. */
  standsFor: string[];
  replicas: string;
  available: string;
  ready: string;
  upToDate: string;
  /** The condition the row shows, with its type before the status. */
  status: string;
  reason: string;
  /** RFC 3339. */
  since: string | undefined;
  message: string;
  children: TreeNode[];
}

export const row = (label: string, children: TreeNode[] = []): TreeNode => ({
  label,
  standsFor: [label],
  replicas: '',
  available: '',
  ready: '',
  upToDate: '',
  status: '',
  reason: '',
  since: undefined,
  message: '',
  children,
});
