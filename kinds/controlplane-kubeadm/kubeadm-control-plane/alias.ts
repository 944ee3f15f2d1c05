/** What is about the nodes of a control plane is about the one of its cluster. */
export const controlPlaneAlias = 'control-plane';
export const aliasOfControlPlane = (): string => controlPlaneAlias;
