/** Text below apiVersion and kind, the errors, the warnings. */
export const SHAPE: Readonly<Record<string, readonly [string, readonly string[], readonly string[]]>> = {
  'every field of its right type': ['', [], []],
  'a number where a text is wanted': [
    'kubeReserved:\n  cpu: 1000\nstaticPodPath: 5',
    [
      'f:4:3: kubeReserved.cpu: expected a string, got a number 1000; put it in quotes: "1000"',
      'f:5:1: staticPodPath: expected a string, got a number 5; put it in quotes: "5"',
    ],
    [],
  ],
  'a boolean where a text is wanted': [
    'cgroupRoot: yes',
    ['f:3:1: cgroupRoot: expected a string, got a boolean true; put it in quotes: "true"'],
    [],
  ],
  'a text where a number is wanted': [
    'maxPods: "110"\nmemoryThrottlingFactor: "0.9"',
    [
      'f:3:1: maxPods: expected a whole number, got a string "110"; remove the quotes',
      'f:4:1: memoryThrottlingFactor: expected a number, got a string "0.9"; remove the quotes',
    ],
    [],
  ],
  'a text where a boolean is wanted': [
    'failSwapOn: "false"\nseccompDefault: "true"\nregisterNode: "1"',
    [
      'f:3:1: failSwapOn: expected a boolean, got a string "false"; remove the quotes',
      'f:4:1: seccompDefault: expected a boolean, got a string "true"; remove the quotes',
      'f:5:1: registerNode: expected a boolean, got a string "1"; write a boolean or remove the key',
    ],
    [],
  ],
  'a list where a map is wanted': [
    'evictionHard: [a]',
    ['f:3:1: evictionHard: expected a map, got a list; write a map or remove the key'],
    [],
  ],
  'a map where a list is wanted': [
    'enforceNodeAllocatable: {pods: true}',
    ['f:3:1: enforceNodeAllocatable: expected a list, got a map; write a list or remove the key'],
    [],
  ],
  'a text where a list is wanted': [
    'clusterDNS: 10.0.0.1',
    ['f:3:1: clusterDNS: expected a list, got a string "10.0.0.1"; write a list or remove the key'],
    [],
  ],
  'a map where a text is wanted': [
    'cgroupRoot: {}',
    ['f:3:1: cgroupRoot: expected a string, got a map; write a string or remove the key'],
    [],
  ],
  'a text that is no number': [
    'maxPods: many\nmemoryThrottlingFactor: "-0.5"\nclusterDNS: "5"',
    [
      'f:3:1: maxPods: expected a whole number, got a string "many"; write a whole number or remove the key',
      'f:4:1: memoryThrottlingFactor: expected a number, got a string "-0.5"; remove the quotes',
      'f:5:1: clusterDNS: expected a list, got a string "5"; write a list or remove the key',
    ],
    [],
  ],
  'nil, which is a text': [
    'evictionSoft: nil\nmaxPods: nil',
    [
      'f:3:1: evictionSoft: expected a map, got a string "nil"; for nothing write null or remove the key',
      'f:4:1: maxPods: expected a whole number, got a string "nil"; for nothing write null or remove the key',
    ],
    [],
  ],
  'a number where a duration is wanted': [
    'syncFrequency: 60',
    ['f:3:1: syncFrequency: expected a duration, got a number 60; write it with its unit, such as "30s"'],
    [],
  ],
  'null where a duration is wanted': [
    'syncFrequency: null',
    ['f:3:1: syncFrequency: expected a duration, got nothing; write one such as 30s, or remove the key'],
    [],
  ],
  'a duration with a wrong unit': [
    'fileCheckFrequency: 1d',
    ['f:3:1: fileCheckFrequency: "1d" is not a duration: "d" is not one of the units h, m, s, ms, us and ns'],
    [],
  ],
  'a fraction where a whole number is wanted': [
    'maxPods: 1.5',
    ['f:3:1: maxPods: expected a whole number, got 1.5; remove the fraction'],
    [],
  ],
  'numbers at and beyond the ends of 32 bits': [
    'kubeAPIQPS: 2147483647\neventRecordQPS: 2147483648\npodsPerCore: -2147483649',
    [
      'f:4:1: eventRecordQPS: 2147483648 is out of range; give a number from -2147483648 to 2147483647',
      'f:5:1: podsPerCore: -2147483649 is out of range; give a number from -2147483648 to 2147483647',
      'f:5:1: podsPerCore: -2147483649 is out of range; give a number of 0 or more',
    ],
    [],
  ],
  'numbers at and beyond the ends of 64 bits': [
    'maxOpenFiles: 9223372036854775807\npodPidsLimit: 9223372036854775808',
    [
      'f:4:1: podPidsLimit: 9223372036854775808 is out of range; give a number from -9223372036854775808 to 9223372036854775807',
    ],
    [],
  ],
  'unsigned numbers': [
    'logging: {verbosity: 4294967295, vmodule: [{filePattern: a, verbosity: -1}, {verbosity: 4294967296}]}',
    [
      'f:3:61: logging.vmodule[0].verbosity: -1 is out of range; give a number from 0 to 4294967295',
      'f:3:78: logging.vmodule[1].verbosity: 4294967296 is out of range; give a number from 0 to 4294967295',
    ],
    [],
  ],
  quantities: [
    'logging: {options: {json: {infoBufferSize: 5, splitStream: true}, text: {infoBufferSize: " 1Gi "}}}\nreservedMemory: [{numaNode: 0, limits: {memory: 1Gi, cpu: x, a: [1]}}]',
    [
      'f:4:54: reservedMemory[0].limits.cpu: "x" is not a quantity; write a number such as 512Mi, 1.5Gi, 200m or 1e9',
      'f:4:62: reservedMemory[0].limits.a: expected a quantity, got a list; write a quantity or remove the key',
    ],
    [],
  ],
  'nested fields of wrong types': [
    'authentication:\n  webhook:\n    enabled: 1\n    cacheTTL: 5\nregisterWithTaints:\n- {key: a, value: b, effect: NoSchedule, timeAdded: 5}\n- x\nstaticPodURLHeader: {a: [1, b]}',
    [
      'f:5:5: authentication.webhook.enabled: expected a boolean, got a number 1; write a boolean or remove the key',
      'f:6:5: authentication.webhook.cacheTTL: expected a duration, got a number 5; write it with its unit, such as "30s"',
      'f:8:42: registerWithTaints[0].timeAdded: expected a string, got a number 5; put it in quotes: "5"',
      'f:9:3: registerWithTaints[1]: expected a map, got a string "x"; write a map or remove the key',
      'f:10:26: staticPodURLHeader.a[0]: expected a string, got a number 1; put it in quotes: "1"',
    ],
    [],
  ],
  'null nearly everywhere': [
    'evictionHard: ~\nmaxPods: ~\nauthentication: ~\nclusterDNS: ~\nfailSwapOn: ~\nlogging: {flushFrequency: ~}\ncpuCFSQuotaPeriod: ~\nfeatureGates: ~\nreservedMemory: [~]',
    [],
    [],
  ],
  'times of the log as texts and as nanoseconds': [
    'logging: {flushFrequency: 5s}\ncrashLoopBackOff: {maxContainerRestartPeriod: 5}',
    [
      'f:4:20: crashLoopBackOff.maxContainerRestartPeriod: expected a duration, got a number 5; write it with its unit, such as "30s"',
    ],
    [],
  ],
  'numbers of nanoseconds': ['logging: {flushFrequency: 5000000000}', [], []],
  'names of the wrong case': [
    'evictionhard: {memory.available: 1Gi}\nlogging: {Verbosity: 1}',
    [],
    [
      'f:3:1: evictionhard: unknown field, which the kubelet drops; names are case sensitive: write evictionHard',
      'f:4:11: logging.Verbosity: unknown field, which the kubelet drops; names are case sensitive: write verbosity',
    ],
  ],
  'unknown names': [
    'metadata: {name: x}\nauthentication: {anonymous: {enable: true}}\n__proto__: 1\nconstructor: 2',
    [],
    [
      'f:3:1: metadata: unknown field, which the kubelet drops; KubeletConfiguration has no such key: remove it or move it to where it belongs',
      'f:4:30: authentication.anonymous.enable: unknown field, which the kubelet drops; authentication.anonymous has no such key: remove it or move it to where it belongs',
      'f:5:1: __proto__: unknown field, which the kubelet drops; KubeletConfiguration has no such key: remove it or move it to where it belongs',
      'f:6:1: constructor: unknown field, which the kubelet drops; KubeletConfiguration has no such key: remove it or move it to where it belongs',
    ],
  ],
  'gates that are no booleans': [
    'featureGates: {MemoryQoS: "true", NodeSwap: 1}',
    [
      'f:3:16: featureGates.MemoryQoS: expected a boolean, got a string "true"; remove the quotes',
      'f:3:35: featureGates.NodeSwap: expected a boolean, got a number 1; write a boolean or remove the key',
    ],
    [],
  ],
};
