export const flowControlGroup = 'flowcontrol.apiserver.k8s.io';
