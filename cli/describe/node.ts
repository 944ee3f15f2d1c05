export interface TreeNode {
  label: string;
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
