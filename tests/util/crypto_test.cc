#include "util/crypto.h"

#include <gtest/gtest.h>

#include "util/strings.h"

TEST(Crypto, HashesAsPublished) {
    EXPECT_EQ(hex_encode(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(hex_encode(hmac_sha256("Jefe", "what do ya want for nothing?")),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Crypto, MakesVersion4Uuids) {
    std::string uuid = random_uuid();
    ASSERT_EQ(uuid.size(), 36u);
    EXPECT_EQ(uuid[14], '4');
    EXPECT_NE(uuid, random_uuid());
}

TEST(Crypto, ComparesTextsOfAnyLength) {
    EXPECT_TRUE(equal_in_constant_time("secret", "secret"));
    EXPECT_FALSE(equal_in_constant_time("secret", "secre"));
    EXPECT_FALSE(equal_in_constant_time("", "x"));
}

TEST(Crypto, KnowsItsOwnIds) {
    std::string id = random_uuid();
    EXPECT_TRUE(is_uuid(id));
    for (const std::string& other :
         {std::string(), id + "0", id.substr(1), std::string(36, 'a'), "x" + id.substr(1)})
        EXPECT_FALSE(is_uuid(other)) << other;
}
