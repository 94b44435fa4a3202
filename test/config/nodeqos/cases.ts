/** Text below apiVersion and kind, the errors, the warnings. */
export const NODEQOS: Readonly<Record<string, readonly [string, readonly string[], readonly string[]]>> = {
  'nothing more': ['', [], []],
  'unknown keys at every level': [
    'foo: 1\npods: {Source: auto}\nmemoryQos: {x: 1}\neviction:\n  protected: {name: a}\n  thresholds: {hard: {}, softGrace: {}}\nloop: {a: 1}\naudit: {b: 1}\ntrace: {c: 1}\nlog: {d: 1}\nstats: {e: 1}\nkubeletConfiguration: {f: 1}',
    [
      'f:3:1: foo: unknown key; correct its name or remove it',
      'f:4:8: pods.Source: unknown key; correct its name or remove it',
      'f:5:13: memoryQos.x: unknown key; correct its name or remove it',
      'f:7:15: eviction.protected.name: unknown key; correct its name or remove it',
      'f:8:26: eviction.thresholds.softGrace: unknown key; correct its name or remove it',
      'f:9:8: loop.a: unknown key; correct its name or remove it',
      'f:10:9: audit.b: unknown key; correct its name or remove it',
      'f:11:9: trace.c: unknown key; correct its name or remove it',
      'f:12:7: log.d: unknown key; correct its name or remove it',
      'f:13:9: stats.e: unknown key; correct its name or remove it',
      'f:14:24: kubeletConfiguration.f: unknown key; correct its name or remove it',
    ],
    [],
  ],
  'keys of the prototype': [
    '__proto__: {a: 1}\nconstructor: 1',
    [
      'f:3:1: __proto__: unknown key; correct its name or remove it',
      'f:4:1: constructor: unknown key; correct its name or remove it',
    ],
    [],
  ],
  'wrong words': [
    'mode: on\nmemoryQos: {reservationPolicy: Tiered, protection: none, writer: x, onStop: x}\neviction: {alongsideKubelet: x, evictor: x, unmeasured: x}\nlog: {level: trace}',
    [
      'f:3:1: mode: got a boolean true; write dry-run or enforce',
      'f:4:13: memoryQos.reservationPolicy: got a string "Tiered"; write None or TieredReservation',
      'f:4:40: memoryQos.protection: got a string "none"; write kubelet or safe',
      'f:4:58: memoryQos.writer: got a string "x"; write cgroupfs or systemd or auto',
      'f:4:69: memoryQos.onStop: got a string "x"; write keep or reset',
      'f:5:12: eviction.alongsideKubelet: got a string "x"; write observe or act',
      'f:5:33: eviction.evictor: got a string "x"; write auto or dry or cgroup or cri or api',
      'f:5:45: eviction.unmeasured: got a string "x"; write skip or evict',
      'f:6:7: log.level: got a string "trace"; write error or warn or info or debug',
    ],
    [],
  ],
  'wrong types': [
    'mode: 5\npods: [a]\nmemoryQos: {enabled: "true", throttlingFactor: "0.9", maxWritesPerTick: 1.5, headroom: 10}\neviction: {maxPodGracePeriodSeconds: 1.5, thresholds: {hard: [a], soft: {memory.available: 5}}, protected: {namespaces: a, labels: [a], priorityAtLeast: x}}\naudit: {maxBytes: [1], keep: x}\nlisten: 9477\nstateDir: 5\nlog: info',
    [
      'f:3:1: mode: got a number 5; write dry-run or enforce',
      'f:4:1: pods: expected a map, got a list; correct it or remove the key',
      'f:5:13: memoryQos.enabled: expected a boolean, got a string "true"; correct it or remove the key',
      'f:5:30: memoryQos.throttlingFactor: expected a number, got a string "0.9"; correct it or remove the key',
      'f:5:55: memoryQos.maxWritesPerTick: expected a whole number, got a number 1.5; correct it or remove the key',
      'f:5:78: memoryQos.headroom: expected a string, got a number 10; correct it or remove the key',
      'f:6:12: eviction.maxPodGracePeriodSeconds: expected a whole number, got a number 1.5; correct it or remove the key',
      'f:6:56: eviction.thresholds.hard: expected a map, got a list; correct it or remove the key',
      'f:6:74: eviction.thresholds.soft.memory.available: expected a string, got a number 5; correct it or remove the key',
      'f:6:109: eviction.protected.namespaces: expected a list, got a string "a"; correct it or remove the key',
      'f:6:124: eviction.protected.labels: expected a map, got a list; correct it or remove the key',
      'f:6:137: eviction.protected.priorityAtLeast: expected a number, got a string "x"; correct it or remove the key',
      'f:7:9: audit.maxBytes: expected a quantity or a whole number, got a list; correct it or remove the key',
      'f:7:24: audit.keep: expected a number, got a string "x"; correct it or remove the key',
      'f:8:1: listen: expected a string, got a number 9477; correct it or remove the key',
      'f:9:1: stateDir: expected a string, got a number 5; correct it or remove the key',
      'f:10:1: log: expected a map, got a string "info"; correct it or remove the key',
    ],
    [],
  ],
  'numbers out of range': [
    'memoryQos: {throttlingFactor: 0, maxWritesPerTick: 0}\naudit: {keep: -1}',
    [
      'f:3:13: memoryQos.throttlingFactor: got a number 0; write a number above 0',
      'f:3:34: memoryQos.maxWritesPerTick: got a number 0; write a number of at least 1',
      'f:4:9: audit.keep: got a number -1; write a number of at least 0',
    ],
    [],
  ],
  'a factor above 1': [
    'memoryQos: {throttlingFactor: 1.01}',
    ['f:3:13: memoryQos.throttlingFactor: got a number 1.01; write a number of at most 1'],
    [],
  ],
  'numbers at the ends of their ranges': [
    'memoryQos: {throttlingFactor: 1, maxWritesPerTick: 1}\naudit: {keep: 0, maxBytes: 1}\ntrace: {maxBytes: 1.5Ki}',
    [],
    [],
  ],
  'no such sizes': [
    'audit: {maxBytes: 0}\ntrace: {maxBytes: 64MB}',
    [
      'f:3:9: audit.maxBytes: 0 is no size; write one above 0, such as 64Mi',
      'f:4:9: trace.maxBytes: "64MB" is not a quantity: "MB" is not one of the units n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei',
    ],
    [],
  ],
  'no such durations': [
    'pods: {maxAge: 0s}\neviction: {pressureTransitionPeriod: -1s, backOff: 1d}\nloop: {interval: 1, minInterval: -1ms}',
    [
      'f:3:8: pods.maxAge: 0s is too short; write a duration above 0s',
      'f:4:12: eviction.pressureTransitionPeriod: -1s is too short; write a duration of 0s or more',
      'f:4:43: eviction.backOff: "1d" is not a duration: "d" is not one of the units h, m, s, ms, us and ns',
      'f:5:8: loop.interval: expected a string, got a number 1; correct it or remove the key',
      'f:5:21: loop.minInterval: -1ms is too short; write a duration above 0s',
    ],
    [],
  ],
  'durations of 0 where they are allowed': ['eviction: {pressureTransitionPeriod: 0s, backOff: 0s}', [], []],
  'no such percentages': [
    'memoryQos: {headroom: 100%}',
    ['f:3:13: memoryQos.headroom: 100% is out of range; write 0% or more and less than 100%'],
    [],
  ],
  'a negative percentage': [
    'memoryQos: {headroom: -1%}',
    ['f:3:13: memoryQos.headroom: -1% is out of range; write 0% or more and less than 100%'],
    [],
  ],
  'a percentage that is none': [
    'memoryQos: {headroom: 10}\nlisten: none',
    ['f:3:13: memoryQos.headroom: expected a string, got a number 10; correct it or remove the key'],
    [],
  ],
  'a percentage with two signs': [
    'memoryQos: {headroom: 10%%}',
    [
      'f:3:13: memoryQos.headroom: "10%%" is not a percentage; write digits and one percent sign, such as 10% or 2.5%',
    ],
    [],
  ],
  'percentages at their ends': ['memoryQos: {headroom: 0%}', [], []],
  'no such sources': [
    'pods: {source: kubelet}\nstats: {source: summary}',
    [
      'f:3:8: pods.source: is not one of the forms that are known here; write auto, api, file:PATH, dir:PATH, kubelet:URL, cri:SOCKET or a path',
      'f:4:9: stats.source: is not one of the forms that are known here; write cgroup, summary:PATH or kubelet:URL',
    ],
    [],
  ],
  'empty texts': [
    'stateDir: ""\nkubeletConfiguration: {file: "", dropInDir: ""}\naudit: {file: ""}\neviction: {protected: {namespaces: [""]}}',
    [
      'f:3:1: stateDir: is empty; write something or remove the key',
      'f:4:24: kubeletConfiguration.file: is empty; write something or remove the key',
      'f:4:34: kubeletConfiguration.dropInDir: is empty; write something or remove the key',
      'f:5:9: audit.file: is empty; write something or remove the key',
      'f:6:37: eviction.protected.namespaces[0]: is empty; write something or remove the key',
    ],
    [],
  ],
  'no such address': [
    'listen: localhost',
    ['f:3:1: listen: is not one of the forms that are known here; write ADDR:PORT, unix:PATH or none'],
    [],
  ],
  'an address with a path': [
    'listen: 127.0.0.1:9477/metrics',
    ['f:3:1: listen: is not one of the forms that are known here; write ADDR:PORT, unix:PATH or none'],
    [],
  ],
  'a path that is empty': [
    'listen: "unix:"',
    ['f:3:1: listen: is not one of the forms that are known here; write ADDR:PORT, unix:PATH or none'],
    [],
  ],
  'acting without thresholds': [
    'eviction: {alongsideKubelet: act}',
    [
      'f:3:12: eviction.alongsideKubelet: act needs eviction.thresholds, so that two agents do not act on the same ones; give them or write observe',
    ],
    [],
  ],
  'acting with the cgroup evictor': [
    'eviction: {alongsideKubelet: act, evictor: cgroup, thresholds: {hard: {memory.available: 1Gi}}}',
    [
      'f:3:12: eviction.alongsideKubelet: act needs another evictor than cgroup, behind whose back a kubelet restarts pods; write api or cri, or observe',
    ],
    [],
  ],
  'acting as it should be': [
    'eviction: {alongsideKubelet: act, evictor: auto, thresholds: {hard: {memory.available: 1Gi}}}',
    [],
    [],
  ],
  'evicting for taints that nobody names': [
    'taints: {evict: true}',
    ['f:3:10: taints.evict: true needs to know the taints of the node; give taints.node or taints.extra'],
    [],
  ],
  'evicting for taints where nobody is evicted': [
    'eviction: {enabled: false}\ntaints: {evict: true, node: /etc/node.yaml}',
    [
      'f:4:10: taints.evict: true needs eviction.enabled, without which nobody is evicted; turn that on or this off',
    ],
    [],
  ],
  'taints that do not evict, and no evictions': [
    'eviction: {enabled: false}\ntaints: {evict: false}',
    [],
    [],
  ],
  'taints that are none, or evict nobody, or are there twice': [
    'taints: {node: "", extra: ["a=b:NoExecute", "a:NoSchedule", "k=v", "c:NoExecute-", 5]}',
    [
      'f:3:10: taints.node: is empty; write something or remove the key',
      'f:3:45: taints.extra[1]: a:NoSchedule evicts nobody; only NoExecute does, so write that or remove it',
      'f:3:61: taints.extra[2]: "k=v" is no taint: "k=v" is no key: a key is 1 to 63 letters, digits, dashes, underscores and dots, and begins and ends with a letter or digit',
      'f:3:68: taints.extra[3]: "c:NoExecute-" takes a taint away, as its last dash says; give it as a removal, without the dash if you like',
      'f:3:84: taints.extra[4]: expected a string, got a number 5; correct it or remove the key',
    ],
    [],
  ],
  'a taint that is there twice': [
    'taints: {extra: ["a=b:NoExecute", "b:NoExecute", "a=c:NoExecute"]}',
    ['f:3:50: taints.extra[2]: the taint a:NoExecute is there twice; remove one'],
    [],
  ],
  'a way to treat groups that is none': [
    'eviction: {groups: yes}',
    ['f:3:12: eviction.groups: got a boolean true; write ignore or count'],
    [],
  ],
  'pods from the API server, and its evictor': ['pods: {source: api}\neviction: {evictor: api}', [], []],
  'pods from a runtime, and its evictor': [
    'pods: {source: "cri:/run/x.sock"}\neviction: {evictor: cri}',
    [],
    [],
  ],
  'pods and statistics from a kubelet': [
    'pods: {source: "kubelet:https://a"}\nstats: {source: "kubelet:https://a"}',
    [],
    [],
  ],
  'a client certificate without its key': [
    'kubelet: {clientCertificateFile: /c}',
    ['f:3:11: kubelet.clientCertificateFile: is of no use without kubelet.clientKeyFile; give both or none'],
    [],
  ],
  'a key without its client certificate': [
    'kubelet: {clientKeyFile: /k}',
    ['f:3:11: kubelet.clientKeyFile: is of no use without kubelet.clientCertificateFile; give both or none'],
    [],
  ],
  'a deadline that nobody should wait for': [
    'api: {deadline: 61s}',
    ['f:3:7: api.deadline: 61s is too long; write a duration of at most 1m'],
    [],
  ],
  'sources that are read, whatever their names are': [
    'pods: {source: "file:api"}\nstats: {source: "summary:kubelet:a"}\neviction: {evictor: dry}',
    [],
    [],
  ],
  'paths of pods that have the name of a source inside': ['pods: {source: "./kubelet:cri:api"}', [], []],
  'observing with the cgroup evictor': ['eviction: {alongsideKubelet: observe, evictor: cgroup}', [], []],
  'a lowest interval above the interval': [
    'loop: {interval: 1s, minInterval: 1001ms}',
    ['f:3:22: loop.minInterval: must not be longer than loop.interval; lower this or raise that'],
    [],
  ],
  'an interval of an hour': ['loop: {interval: 1h}', [], []],
  'an interval of more than an hour': [
    'loop: {interval: 3600001ms}',
    ['f:3:8: loop.interval: 3600001ms is too long; write a duration of at most 1h'],
    [],
  ],
  'a lowest interval as long as the interval': ['loop: {interval: 1s, minInterval: 1s}', [], []],
  'thresholds with faults': [
    'eviction:\n  thresholds:\n    hard: {memory.available: "0"}\n    soft: {nodefs.available: 10%}\n    softGracePeriod: {memory.available: 1m}\n    minimumReclaim: {x: 1Gi}',
    [
      'f:5:12: eviction.thresholds.hard.memory.available: a threshold must be above 0, and 0 is not; to turn it off write "0%"',
      'f:6:12: eviction.thresholds.soft.nodefs.available: a soft threshold needs a grace period; add nodefs.available to eviction.thresholds.softGracePeriod',
      'f:8:22: eviction.thresholds.minimumReclaim.x: "x" is not an eviction signal; the signals are allocatableMemory.available, containerfs.available, containerfs.inodesFree, imagefs.available, imagefs.inodesFree, memory.available, nodefs.available, nodefs.inodesFree, pid.available',
    ],
    [
      'f:7:23: eviction.thresholds.softGracePeriod.memory.available: has no effect: there is no soft threshold for memory.available; add one or remove this',
    ],
  ],
  'thresholds that the kubelet would leave out': [
    'eviction: {thresholds: {hard: {containerfs.available: 5%}}}',
    [],
    [
      'f:3:32: eviction.thresholds.hard.containerfs.available: the kubelet sets containerfs thresholds itself and leaves this one out; remove it',
    ],
  ],
  'doubled keys': [
    'mode: enforce\nlog: {level: info, level: warn}\nmode: dry-run',
    ['f:4:20: log.level: is there twice; remove one', 'f:5:1: mode: is there twice; remove one'],
    [],
  ],
  'null, which is as if it was not there': [
    'mode: ~\npods: ~\nmemoryQos: {headroom: ~}\neviction: {thresholds: ~}',
    [],
    [],
  ],
  'several documents': [
    '---\na: 1',
    [],
    ['f:3:1: holds several documents, of which only the first one counts; remove the others'],
  ],
  'another kind': [
    'kind: KubeletConfiguration',
    ['f:3:1: kind: is "KubeletConfiguration"; write NodeQosConfiguration'],
    [],
  ],
};
