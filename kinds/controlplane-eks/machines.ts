/** What goes before the control plane of its cluster. */
export const machineKindOf = 'Machine';
