/** Invalid values that several tables share. */
export const rollingUpdate = (of: object) => ({ rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: of } } });
export const taint = (key: string) => ({ taints: [{ key, effect: 'NoSchedule', propagation: 'Always' }] });
export const annotation = (name: string, value: string) => ({ metadata: { annotations: { [name]: value } } });
export const autoscaler = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group';
export const long = 'a'.repeat(64);
